package main

import (
	"io"
	"os"
	"time"

	"github.com/rs/zerolog"

	"betcode/cmd/betcode/internal/logfile"
	"betcode/config"
	"betcode/messages"
)

// errorFileVariable names the file that 'daemon start' has made this process's standard
// error. The daemon rotates that file, and none that somebody else has redirected it to.
const errorFileVariable = "BETCODE_ERROR_FILE"

// logComponent is how health names the log.
const logComponent = "daemon_log"

// openLog opens the log, and the file that standard error is, which is the log as a
// rule. It is JSON, a line each (docs/logging.md).
func (d *daemon) openLog(stderr io.Writer) error {
	out := stderr
	errorFile := os.Getenv(errorFileVariable)
	if err := os.Unsetenv(errorFileVariable); err != nil { // it is not true of what this process starts
		return err
	}
	started := isStandardError(errorFile)
	if started {
		file, err := d.openLogFile(errorFile)
		if err != nil {
			return err
		}
		out = file
	}
	if d.cfg.LogFile != "" && (!started || !isStandardError(d.cfg.LogFile)) {
		file, err := d.openLogFile(d.cfg.LogFile)
		if err != nil {
			return err
		}
		out = file
	}
	zerolog.TimestampFieldName = "timestamp"
	zerolog.TimeFieldFormat = time.RFC3339Nano
	d.base = zerolog.New(zerolog.SyncWriter(d.masked(out))).With().Timestamp().Logger()
	d.log = d.base.With().Str("target", "betcode/cmd/betcode").Str("span", "daemon").Logger()
	return d.setLogLevel(d.cfg.LogLevel)
}

func (d *daemon) openLogFile(path string) (*logfile.File, error) {
	file, err := logfile.Open(logfile.Options{Path: path, Limits: logfile.Limits(d.cfg.Log), Crashes: true, Failing: d.logFails})
	if err == nil {
		d.logFiles = append(d.logFiles, file)
	}
	return file, err
}

// isStandardError reports whether a path means the file that standard error is.
func isStandardError(path string) bool {
	if path == "" {
		return false
	}
	there, err := os.Stat(path)
	if err != nil {
		return false
	}
	open, err := os.Stderr.Stat()
	return err == nil && os.SameFile(there, open)
}

// logFails says that the log grows beyond its bound, and why; nil that it no longer does.
// It cannot be logged: the log is being written.
func (d *daemon) logFails(err error) {
	c := messages.ComponentHealth{Name: logComponent, Serving: true}
	if err != nil {
		c.Serving, c.State, c.Message = false, "log_not_rotated", err.Error()
		c.Reason, c.Impact = "The daemon's log cannot be rotated", "It grows beyond daemon.log_max_bytes"
	}
	d.components.tell(c)
}

// setLogLimits says how large the log may be from now on.
func (d *daemon) setLogLimits(l config.Log) {
	for _, f := range d.logFiles {
		f.SetLimits(logfile.Limits(l))
	}
}

// setLogLevel says how much is logged from now on. It costs nothing where nothing is said.
func (d *daemon) setLogLevel(name string) error {
	level, err := zerolog.ParseLevel(name)
	if err != nil {
		return err
	}
	before := zerolog.GlobalLevel()
	zerolog.SetGlobalLevel(level)
	if level == zerolog.TraceLevel && before != level {
		d.log.Warn().Msg("the log shows what is said to agents and by them: it is as secret as the conversations")
	}
	return nil
}
