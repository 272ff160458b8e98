package host

import (
	"io"
	"os"
	"time"

	"github.com/rs/zerolog"

	"betcode/cmd/betcode/internal/logfile"
	"betcode/config"
	"betcode/messages"
)

// logComponent is how health names the log.
const logComponent = "daemon_log"

// openLog opens the log, and the file behind standard error, which is usually the same file. Entries are lines of JSON
// (docs/logging.md).
func (d *daemon) openLog(stderr io.Writer) error {
	out := stderr
	errorFile := os.Getenv(logfile.ErrorFileVariable)
	if err := os.Unsetenv(logfile.ErrorFileVariable); err != nil { // it is wrong for the children of this process
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

// isStandardError reports whether a path names the file behind standard error.
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

// logFails reports to health that the log cannot be rotated; a nil error reports that it can again. It does not log,
// because it is called while the log is being written.
func (d *daemon) logFails(err error) {
	c := messages.ComponentHealth{Name: logComponent, Serving: true}
	if err != nil {
		c.Serving, c.State, c.Message = false, "log_not_rotated", err.Error()
		c.Reason, c.Impact = "The daemon's log cannot be rotated", "The log grows beyond daemon.log_max_bytes"
	}
	d.components.report(c)
}

// setLogLimits bounds the size of the log from now on.
func (d *daemon) setLogLimits(l config.Log) {
	for _, f := range d.logFiles {
		f.SetLimits(logfile.Limits(l))
	}
}

// setLogLevel sets the level for all loggers; entries below it cost nothing.
func (d *daemon) setLogLevel(name string) error {
	level, err := zerolog.ParseLevel(name)
	if err != nil {
		return err
	}
	before := zerolog.GlobalLevel()
	zerolog.SetGlobalLevel(level)
	if level == zerolog.TraceLevel && before != level {
		d.log.Warn().Msg("the log contains conversations with agents: protect it as you protect them")
	}
	return nil
}
