package actors

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

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
}
