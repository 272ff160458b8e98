package run

import (
	"bytes"
	"fmt"

	"github.com/rs/zerolog"

	"betcode/actors/internal/act"
	"betcode/actors/internal/spool"
	"betcode/messages"
)

// log is the log of this run.
func (r *run) log() *zerolog.Logger {
	span := fmt.Sprintf("session/%s/run/%d", r.session.ID, r.state.record.Run)
	log := r.deps.Log(span).With().Str(act.LogSession, string(r.session.ID)).Uint64(act.LogRun, uint64(r.state.record.Run)).Logger()
	return &log
}

// logEnd logs how the agent's process ended.
func (r *run) logEnd(m messages.RunEnded) {
	r.log().Info().Bool("known", m.Exit.Known).Int("exit_code", m.Exit.Code).Str("signal", m.Exit.Signal).
		Str("reason", m.Exit.Reason).Msg("agent ended")
}

// logNotJSON warns of lines that are not JSON. They are kept as they are.
func (r *run) logNotJSON(before, after state) {
	if n := after.translator.Counters().NotJSON - before.translator.Counters().NotJSON; n > 0 {
		r.log().Warn().Uint64("lines", n).Int64("before_byte", after.offset).Msg("agent wrote lines that are not JSON")
	}
}

// logBatch logs the lines of a batch: type and length at debug, and the line itself at
// trace.
func (r *run) logBatch(b spool.Batch) {
	if !r.deps.Shows(zerolog.DebugLevel) {
		return
	}
	log := r.log()
	for _, l := range b.Lines {
		r.logLine(log, "out", l.Bytes, l.Size)
	}
}

// logWritten logs a line that was written to the agent.
func (r *run) logWritten(m lineWritten) {
	if m.err == nil && !m.long && r.deps.Shows(zerolog.DebugLevel) {
		line := bytes.TrimRight(m.what.line, "\n")
		r.logLine(r.log(), "in", line, int64(len(line)))
	}
}
