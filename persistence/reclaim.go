package persistence

import (
	"context"

	"betcode/messages"
)

// Reclaim gives back room that nobody needs: it rewrites sealed files that are
// garbage for the most part, and sweeps payloads that no file refers to any more.
// It takes as long as is good for the others; the journal is used meanwhile. Two
// at once are one too many: the caller sees to it that there are not.
//
// room is how many bytes a new file may take before the old one is removed;
// negative: any number. A file that needs more waits.
//
// Damage that it comes by is in what it returns, and stays where it is.
func (s *Store) Reclaim(ctx context.Context, room int64) (done messages.JournalReclaimed, err error) {
	if err = s.rewrite(ctx, room, &done); err == nil {
		done.Swept, err = s.Sweep(ctx)
	}
	return done, err
}
