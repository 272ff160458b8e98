package local

import (
	"net"
	"time"
)

const answersRetry = 20 * time.Millisecond

// StaleAfter is how long a socket has to answer to count as that of a living server. The kernel accepts connections on a
// socket as long as any process has it open, and a child that a killed server was just starting has it until the child has
// executed its program.
const StaleAfter = 2 * time.Second

// Answers reports whether a socket accepts connections for longer than while.
func Answers(path string, while time.Duration) bool {
	for began := time.Now(); ; time.Sleep(answersRetry) {
		conn, err := net.DialTimeout("unix", path, time.Second)
		if err != nil {
			return false
		}
		conn.Close()
		if time.Since(began) > while {
			return true
		}
	}
}
