package persistence

import (
	"context"

	"betcode/messages"
)

// Reclaim reclaims journal space: it rewrites sealed files that are mostly garbage, and
// sweeps payloads that no file refers to. It is throttled, and the journal can be used
// meanwhile. The caller must not run two at once.
//
// room is how many bytes a new file may take before the old one is removed; negative is
// no limit. A file that needs more is left for later.
//
// Damage that it finds is in its result, and is not repaired.
func (s *Store) Reclaim(ctx context.Context, room int64) (done messages.JournalReclaimed, err error) {
	if err = s.rewrite(ctx, room, &done); err == nil {
		done.Swept, err = s.Sweep(ctx)
	}
	return done, err
}
