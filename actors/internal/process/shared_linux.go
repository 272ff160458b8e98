package process

import (
	"errors"
	"slices"
	"time"
)

// maxLooks is how often belowAgent reads the processes that have a socket. Before each reading after the second one it
// waits, twice as long each time: 1, 2, 4 and 8 ms.
const maxLooks = 6

// sharing has the functions with which the processes that have a socket are checked.
type sharing struct {
	holders func() ([]int, error)       // the processes that have it now
	below   func(pid int) (bool, error) // see [BelowAgent]
	wait    func(time.Duration)         // waits before another reading
}

// belowAgent reports whether a process that has the socket, or had it at an earlier reading, is below an agent. It reads until
// it sees no new process: while a process forks, its child has the socket for a short time, and may end before it is
// checked. A process that cannot be checked, and has the socket at the next reading too, makes the answer unknown.
func (s sharing) belowAgent() (bool, error) {
	var known, unknown []int
	var reason error
	wait := time.Millisecond
	for look := range maxLooks {
		if look > 1 {
			s.wait(wait)
			wait *= 2
		}
		holders, err := s.holders()
		if err != nil {
			return false, err
		}
		if len(holders) == 0 && look > 0 {
			return false, errors.New("no process is seen to have the caller's socket")
		}
		news := look == 0
		var again []int
		for _, pid := range holders {
			if slices.Contains(known, pid) {
				continue
			}
			news = true
			below, err := s.below(pid)
			switch {
			case below:
				return true, nil
			case err == nil:
				known = append(known, pid)
			case slices.Contains(unknown, pid):
				return false, err
			default:
				again, reason = append(again, pid), err
			}
		}
		if !news {
			return false, nil
		}
		unknown = again
	}
	return false, errors.Join(errors.New("the caller's socket changes hands again and again"), reason)
}
