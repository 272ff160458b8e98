package actors

import (
	"fmt"
	"sync"
	"time"

	"betcode/messages"
)

// journalDamage is what was found damaged in the journal's files, by a verification or
// when a file was to be rewritten. A verification that finds nothing clears it.
type journalDamage struct {
	mu      sync.Mutex
	message string
	found   time.Time
}

// noteDamage takes the outcome of a verification, or the damage that was met elsewhere.
func (s *System) noteDamage(report *messages.JournalReport, met error) {
	s.damage.note(s.now(), report, met)
}

func (d *journalDamage) note(now time.Time, report *messages.JournalReport, met error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.found = now
	switch {
	case met != nil:
		d.message = met.Error()
	case report != nil && report.OK():
		d.message = ""
	case report != nil:
		d.message = fmt.Sprintf("%d problem(s), the first: %s", len(report.Problems), report.Problems[0])
	}
}

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
		s.noteDamage(nil, fmt.Errorf("%d place(s) were damaged when the journal was opened, the first: %s", len(damage), damage[0]))
	}
}

// view returns the health line of the damage, if there is any. backup is the hint about
// backups.
func (d *journalDamage) view(backup string) (messages.ComponentHealth, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.message == "" {
		return messages.ComponentHealth{}, false
	}
	return messages.ComponentHealth{
		Name: "journal_files", Checked: d.found, State: "journal_damaged", Message: d.message, Reason: "The journal's files are damaged",
		Impact: "What is sound can be used. Check the disk; 'betcode journal verify' names what is damaged, and clears this when nothing is; " +
			"'betcode journal backup DIRECTORY' copies the journal, and 'betcode journal restore' brings a backup back. " + backup,
	}, true
}
