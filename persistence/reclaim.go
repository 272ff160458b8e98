package persistence

import (
	"context"

	"betcode/messages"
)

// Reclaim reclaims journal space: it rewrites sealed files that are mostly garbage, and
// sweeps payloads that no file refers to. It is throttled; the journal is used
// meanwhile. The caller must not run two at once.
//
// room is how many bytes a new file may take before the old one is removed; negative is
// any number. A file that needs more waits.
//
// Damage that it meets is in its result, and stays where it is.
func (s *Store) Reclaim(ctx context.Context, room int64) (done messages.JournalReclaimed, err error) {
	if err = s.rewrite(ctx, room, &done); err == nil {
		done.Swept, err = s.Sweep(ctx)
	}
	return done, err
}
