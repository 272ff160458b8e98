package main

import (
	"path/filepath"

	"betcode/cmd/betcode/internal/local"
)

// protected are the directories of the daemon that no agent writes to unasked.
func (d *daemon) protected() []string {
	dirs := []string{d.cfg.ConfigDir, d.cfg.StateDir}
	if !local.IsPipe(d.cfg.SocketPath) {
		dirs = append(dirs, filepath.Dir(d.cfg.SocketPath))
	}
	return dirs
}
