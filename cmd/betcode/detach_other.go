//go:build !unix

package main

import (
	"errors"
	"os"
	"os/exec"
)

// detach says that there are no daemons here.
func detach(*exec.Cmd) error {
	return errors.New("start daemon: the daemon does not run on this system; connect to one on another machine with --socket")
}

// inherited says that nothing was.
func inherited(int) (*os.File, error) { return nil, errors.ErrUnsupported }
