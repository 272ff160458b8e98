package persistence

import (
	"context"

	"betcode/messages"
)

// Reclaim gives back room that nobody needs: it sweeps payloads that no file
// refers to. It may take long; the journal is used meanwhile.
func (s *Store) Reclaim(ctx context.Context) (done messages.JournalReclaimed, err error) {
	done.Swept, err = s.Sweep(ctx)
	return done, err
}
