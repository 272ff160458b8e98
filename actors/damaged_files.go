package actors

import (
	"fmt"

	"betcode/messages"
)

// noteFindings logs the damage that was found when the journal was opened, and degrades
// health: a disk that flips bits should be replaced even if nothing was lost.
func (s *System) noteFindings() {
	var damage []messages.JournalFinding
	for _, f := range s.options.Store.Findings() {
		s.logOf("journal").Warn().Str("file", f.File).Int64("offset", f.Offset).Str("problem", f.Problem).Str("outcome", f.Outcome).
			Bool("as_after_a_crash", f.Crash).Msg("the journal was not as it was written")
		if !f.Crash {
			damage = append(damage, f)
		}
	}
	if len(damage) > 0 {
		s.damage.Note(s.now(), nil, fmt.Errorf("%d place(s) were damaged when the journal was opened, the first: %s", len(damage), damage[0]))
	}
}
