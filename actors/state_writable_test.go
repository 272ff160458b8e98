package actors

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
	"time"

	"betcode/messages"
)

func TestStateThatCannotBeWritten(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{&messages.Error{Op: "prepare run directory", Err: &fs.PathError{Op: "mkdir", Path: "/runs", Err: syscall.EROFS}}, true},
		{fmt.Errorf("make it: %w", &fs.PathError{Op: "mkdir", Path: "/runs", Err: syscall.EACCES}), true},
		{&fs.PathError{Op: "mkdir", Path: "/runs", Err: syscall.ENOSPC}, false},
		{errors.New("another"), false},
	} {
		if got := notWritable(c.err); got != c.want {
			t.Errorf("%v: %t", c.err, got)
		}
	}
	found := ""
	for _, condition := range conditions {
		if found == "" && condition.shows(evidence{exit: messages.Exit{Known: true, Code: 127, Stage: stageState}, silent: true}) {
			found = string(condition.name)
		}
	}
	if found != string(messages.StateNotWritable) {
		t.Errorf("the condition is %q", found)
	}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	var s healthState
	s, _ = s.step(now, nil, stateHealth{syscall.EROFS})
	degraded := func() bool {
		for _, c := range s.components(now, 0, 0) {
			if c.Name == "state_directory" {
				return c.Degraded()
			}
		}
		return false
	}
	if !degraded() {
		t.Error("health does not say it")
	}
	if s, _ = s.step(now, nil, stateHealth{}); degraded() {
		t.Error("health still reports it after it was mended")
	}
}
