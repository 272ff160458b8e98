package actors

import (
	"bytes"
	"encoding/json"

	"github.com/rs/zerolog"

	"betcode/actors/internal/spool"
	"betcode/messages"
)

// shownLine is how much of a line of NDJSON the log shows at trace.
const shownLine = 16 << 10

// log is the log of this run.
func (r *run) log() *zerolog.Logger {
	span := childName("session", r.session.ID) + "/" + childName("run", r.state.record.Run)
	log := r.deps.logOf(span).With().Str(logSession, string(r.session.ID)).Uint64(logRun, uint64(r.state.record.Run)).Logger()
	return &log
}

// logEnd says how the agent's process ended.
func (r *run) logEnd(m messages.RunEnded) {
	r.log().Info().Bool("known", m.Exit.Known).Int("exit_code", m.Exit.Code).Str("signal", m.Exit.Signal).
		Str("reason", m.Exit.Reason).Msg("agent ended")
}

// logNotJSON warns of lines that were none of ours, and are kept as they are.
func (r *run) logNotJSON(before, after runState) {
	if n := after.translator.Counters().NotJSON - before.translator.Counters().NotJSON; n > 0 {
		r.log().Warn().Uint64("lines", n).Int64("before_byte", after.offset).Msg("agent wrote lines that are not JSON")
	}
}

// logBatch shows the flow of the agent's lines: of each its type and length at debug, and
// the line itself at trace.
func (r *run) logBatch(b spool.Batch) {
	if !r.deps.logs(zerolog.DebugLevel) {
		return
	}
	log := r.log()
	for _, l := range b.Lines {
		r.deps.logLine(log, "out", l.Bytes, l.Size)
	}
}

// logWritten shows a line that was given to the agent.
func (r *run) logWritten(m lineWritten) {
	if m.err == nil && !m.long && r.deps.logs(zerolog.DebugLevel) {
		line := bytes.TrimRight(m.what.line, "\n")
		r.deps.logLine(r.log(), "in", line, int64(len(line)))
	}
}

// logLine is one line of NDJSON, "in" to the agent or "out" of it. What is not there of
// one that was cut is not shown.
func (s *System) logLine(log *zerolog.Logger, direction string, line []byte, size int64) {
	var kind struct{ Type, Subtype string }
	_ = json.Unmarshal(line, &kind) // one without a type is shown without
	log.Debug().Str("direction", direction).Str("type", shorten(kind.Type, maxShown)).
		Str("subtype", shorten(kind.Subtype, maxShown)).Int64("bytes", size).Msg("line")
	if e := log.Trace(); e.Enabled() {
		e.Str("direction", direction).Int64("bytes", size).Str("line", s.options.Mask(beginning(line, shownLine))).Msg("raw line")
	}
}

// beginning is a line's, cut between words: half a secret would not look like one.
func beginning(line []byte, most int) string {
	if len(line) > most {
		line = line[:most]
		line = line[:bytes.LastIndexAny(line, " ,\n\t")+1]
	}
	return string(bytes.ToValidUTF8(line, []byte("?")))
}
