package host

import (
	"cmp"
	"os"
	"path/filepath"

	"betcode/cmd/betcode/internal/logfile"
	"betcode/cmd/betcode/internal/statedir"
	"betcode/messages"
)

// startupOf returns how this process was started.
func startupOf() messages.Startup {
	directory, _ := os.Getwd() // empty if the directory was deleted
	return messages.Startup{Arguments: os.Args, Environment: os.Environ(), Directory: directory, ErrorFile: logfile.OfProcess(os.Getpid())}
}

// getStartup answers [messages.GetStartup]. If standard error is not a file, the next daemon gets the default log.
func (d *daemon) getStartup() messages.Startup {
	startup := d.startup
	startup.ErrorFile = cmp.Or(startup.ErrorFile, filepath.Join(d.cfg.StateDir, statedir.LogName))
	return startup
}
