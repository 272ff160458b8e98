package lookback

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"betcode/cmd/betcode/internal/statedir"
	"betcode/messages/regular"
)

// DefaultPeriod is the period of a digest when no earlier look is stored.
const DefaultPeriod = 24 * time.Hour

// lookFile has the time of the last look, in the state directory of the daemon.
const lookFile = "looked"

// Last returns the time of the last digest, and whether it is known; if not, the time is a day ago.
func Last(state string, now time.Time) (at time.Time, known bool) {
	if raw, err := regular.Read(filepath.Join(state, lookFile), 64); state != "" && err == nil {
		if at, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(string(raw))); err == nil && at.Before(now) {
			return at, true
		}
	}
	return now.Add(-DefaultPeriod), false
}

// Note stores the time of a digest. An empty state directory means that the daemon is on another
// machine: nothing is stored.
func Note(state string, now time.Time) error {
	if state == "" {
		return nil
	}
	if err := statedir.Replace(filepath.Join(state, lookFile), []byte(now.UTC().Format(time.RFC3339Nano)+"\n")); err != nil {
		return fmt.Errorf("store the time of the last look: %w", err)
	}
	return nil
}
