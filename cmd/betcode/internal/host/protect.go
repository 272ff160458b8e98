package host

import (
	"path/filepath"

	"betcode/cmd/betcode/internal/local"
)

// protected returns the directories of the daemon; an agent needs a permission to write there.
func (d *daemon) protected() []string {
	dirs := []string{d.cfg.ConfigDir, d.cfg.StateDir}
	if !local.IsPipe(d.cfg.SocketPath) {
		dirs = append(dirs, filepath.Dir(d.cfg.SocketPath))
	}
	return dirs
}
