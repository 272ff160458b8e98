package run

import (
	"bytes"
	"encoding/json"

	"github.com/rs/zerolog"

	"betcode/actors/internal/texts"
)

// shownLine is how many bytes of a line of NDJSON the log shows at trace.
const shownLine = 16 << 10

// maxKind bounds the type of a line in the log, in characters.
const maxKind = 120

// logLine logs one line of NDJSON, "in" to the agent or "out" of it: its type and length at debug, and the line
// itself at trace. size is the length of the whole line; line may be its beginning.
func (r *run) logLine(log *zerolog.Logger, direction string, line []byte, size int64) {
	var kind struct{ Type, Subtype string }
	_ = json.Unmarshal(line, &kind) // on an error the line has no type
	log.Debug().Str("direction", direction).Str("type", texts.Shorten(kind.Type, maxKind)).
		Str("subtype", texts.Shorten(kind.Subtype, maxKind)).Int64("bytes", size).Msg("line")
	if e := log.Trace(); e.Enabled() {
		e.Str("direction", direction).Int64("bytes", size).Str("line", r.deps.Mask(beginning(line, shownLine))).Msg("raw line")
	}
}

// beginning returns the beginning of a line, cut between words: the mask would not recognise half a secret.
func beginning(line []byte, most int) string {
	if len(line) > most {
		line = line[:most]
		line = line[:bytes.LastIndexAny(line, " ,\n\t")+1]
	}
	return string(bytes.ToValidUTF8(line, []byte("?")))
}
