package journal

import (
	"fmt"
	"sync"
	"time"

	"betcode/messages"
)

// Damage is the damage that was found in the journal's files when they were opened, verified or rewritten. A
// verification that finds none clears it. The zero value is no damage.
type Damage struct {
	mu      sync.Mutex
	message string
	found   time.Time
}

// Note records the result of a verification, or damage that was found elsewhere.
func (d *Damage) Note(now time.Time, report *messages.JournalReport, met error) {
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

// View returns the health line of the damage, if there is any. backup is the hint about backups.
func (d *Damage) View(backup string) (messages.ComponentHealth, bool) {
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
