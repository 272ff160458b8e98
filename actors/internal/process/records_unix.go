//go:build unix

package process

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"betcode/actors/internal/launch"
	"betcode/messages"
)

// errNoRecord reports that a record is missing or cannot be decoded.
var errNoRecord = errors.New("no record")

// readRecord reads one of the launcher's records. A record that cannot be
// decoded (a power cut may leave an empty file) counts as missing; a record of a newer
// layout does not.
func readRecord(path string, into any) error {
	words, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errNoRecord
	case err != nil:
		return err
	}
	return decode(words, into)
}

func decode(words []byte, into any) error {
	var version struct {
		Format int `json:"format"`
	}
	if json.Unmarshal(words, &version) != nil || version.Format < 1 {
		return errNoRecord
	}
	if version.Format > launch.Format {
		return messages.Errorf("read run directory", messages.Unimplemented, "its layout is version %d, this program knows %d",
			version.Format, launch.Format).WithHint("The agent was started by a newer betcode: run that one.")
	}
	if json.Unmarshal(words, into) != nil {
		return errNoRecord
	}
	return nil
}

// exitOf returns how the agent of a run directory ended. The caller knows that it has ended.
func exitOf(dir string) messages.Exit {
	path := filepath.Join(dir, launch.EndedFile)
	var e launch.Ended
	if err := readRecord(path, &e); err != nil {
		return unseen("the end was not recorded: the launcher was killed")
	}
	exit := messages.Exit{Known: true, Code: e.Code, Reason: "exited", At: time.UnixMilli(e.At)}
	if e.Signal != 0 {
		exit.Signal, exit.Reason = signalName(e.Signal), killedBy(e.Signal, func() bool { return memoryExceeded(dir) })
	}
	if e.Reason == launch.LeaseEnded {
		exit.Reason = LeaseEnded
	}
	return exit
}

// killedBy returns the reason why a signal ended an agent. exceeded reports whether its group needed too much memory.
func killedBy(signal int, exceeded func() bool) string {
	if syscall.Signal(signal) == syscall.SIGKILL && exceeded() {
		return MemoryExceeded
	}
	return "killed"
}

// unseen returns the exit of a run that no process recorded.
func unseen(reason string) messages.Exit { return messages.Exit{Reason: reason, At: time.Now()} }

func signalName(number int) string {
	if name := unix.SignalName(syscall.Signal(number)); name != "" {
		return name
	}
	return "signal " + strconv.Itoa(number)
}

func identity(p launch.Process, boot string) messages.ProcessIdentity {
	return messages.ProcessIdentity{PID: p.PID, StartTime: p.StartTime, BootID: boot}
}
