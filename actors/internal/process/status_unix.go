//go:build unix

package process

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"betcode/messages"
)

// bySignal is what shells add to the number of the signal that ended a process.
const bySignal = 128

// Status returns the end of a run as shells report it: the exit code, or 128 plus the number
// of the signal. It is 0 for an end that was not seen.
func Status(e messages.Exit) int {
	switch {
	case !e.Known:
		return 0
	case e.Signal == "":
		return e.Code
	}
	if number := unix.SignalNum(e.Signal); number != 0 {
		return bySignal + int(number)
	}
	if number, err := strconv.Atoi(strings.TrimPrefix(e.Signal, "signal ")); err == nil {
		return bySignal + number
	}
	return bySignal
}
