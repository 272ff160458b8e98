package main

import (
	"io"
	"os"
	"time"

	"github.com/rs/zerolog"
)

// openLog opens the log. It is JSON, a line each (docs/logging.md).
func (d *daemon) openLog(stderr io.Writer) error {
	out := stderr
	if d.cfg.LogFile != "" {
		file, err := os.OpenFile(d.cfg.LogFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		d.logFile, out = file, file
	}
	zerolog.TimestampFieldName = "timestamp"
	zerolog.TimeFieldFormat = time.RFC3339Nano
	d.base = zerolog.New(zerolog.SyncWriter(d.masked(out))).With().Timestamp().Logger()
	d.log = d.base.With().Str("target", "betcode/cmd/betcode").Str("span", "daemon").Logger()
	return d.setLogLevel(d.cfg.LogLevel)
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
