package launchplan

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
		if _, got := NotWritable(c.err); got != c.want {
			t.Errorf("%v: %t", c.err, got)
		}
	}
}
