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

// view is the health line of the damage, if there is any.
func (d *journalDamage) view() (messages.ComponentHealth, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.message == "" {
		return messages.ComponentHealth{}, false
	}
	return messages.ComponentHealth{
		Name: "journal_files", Checked: d.found, State: "journal_damaged", Message: d.message, Reason: "The journal's files are damaged",
		Impact: "What is sound can be used: 'betcode journal verify' names the rest, 'betcode journal backup DIRECTORY' copies it, " +
			"and 'betcode journal restore' brings a backup back",
	}, true
}
