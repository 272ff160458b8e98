package journal

import (
	"sync"
	"time"

	"betcode/messages"
)

// BackupHealth is the result of the last scheduled backup, and the backups that can be restored.
type BackupHealth struct {
	mu      sync.Mutex
	failure error
	at      time.Time
	found   []ScheduledBackup
}

// Look lists the backups on the disk, for callers that cannot wait for it.
func (h *BackupHealth) Look(o BackupOptions) {
	found, err := ScheduledBackups(o.Directory)
	if err != nil {
		found = nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.found = found
}

// Offer is [OfferBackup] for the backups that the last look found.
func (h *BackupHealth) Offer() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return OfferBackup(h.found)
}

func (h *BackupHealth) note(now time.Time, failure error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failure, h.at = failure, now
}

// View returns the health line of a failed backup; false if the last backup did not fail.
func (h *BackupHealth) View() (messages.ComponentHealth, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failure == nil {
		return messages.ComponentHealth{}, false
	}
	return messages.ComponentHealth{
		Name: "backups", Checked: h.at, State: "backup_failing", Message: h.failure.Error(), Reason: "The journal is not backed up",
		Impact: "The last scheduled backup failed and is tried again. Free some room, or look at the directory 'backups' of the state directory; " +
			"'betcode journal backups' lists what is there",
	}, true
}
