package persistence

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"betcode/messages"
	"betcode/messages/failpoint"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/manifest"
	"betcode/persistence/internal/memtable"
)

const (
	// defaultRewriteLeast is the least garbage of a file that is rewritten, in bytes,
	// and defaultRewriteRate the rate of reading it, in bytes a second, so that commits
	// are not delayed.
	defaultRewriteLeast = 1 << 20
	defaultRewriteRate  = 16 << 20

	// waitAgain is the polling interval while all files are being read.
	waitAgain = 100 * time.Millisecond
)

// rewrite rewrites the sealed files that are mostly garbage, one after the other. It
// makes the new file beside the old one, complete and durable. Then MANIFEST names the new
// one; commits wait only for that. Readers of the old file finish.
//
// A damaged file stays as it is, because it may be needed to find the cause.
func (s *Store) rewrite(ctx context.Context, room int64, done *messages.JournalReclaimed) error {
	due, err := s.rewriteDue(room, done)
	if err != nil {
		return err
	}
	for _, f := range due {
		if err := wait(ctx, 0); err != nil {
			return err
		}
		saved, err := s.rewriteFile(ctx, f)
		if messages.KindOf(err) == messages.DataLoss && err != nil {
			done.Damaged = cmp.Or(done.Damaged, err) // continue with the other files
			continue
		}
		if err != nil {
			return err
		}
		done.Rewritten, done.Bytes = done.Rewritten+1, done.Bytes+saved
		s.counts.rewritten.Add(1)
	}
	return nil
}

// rewriteDue lists the sealed files that are to be rewritten, and counts those for
// which there is too little space.
func (s *Store) rewriteDue(room int64, counted *messages.JournalReclaimed) (due []manifest.SealedFile, err error) {
	done, err := s.reading(fault.OpRewrite)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := s.writableNow(fault.OpRewrite); err != nil {
		return nil, err
	}
	m := s.index.marks()
	for _, f := range s.manifest.Sealed {
		w, err := s.weighFile(fault.OpRewrite, f, m)
		if err != nil && messages.KindOf(err) != messages.DataLoss {
			return nil, err
		}
		if err != nil || (!w.heavy(s.options.rewriteLeast) && failpoint.Fail(failpoint.RewriteDue) == nil) {
			continue
		}
		if room >= 0 && w.rest(f.Bytes) > room {
			counted.Waiting++
			continue
		}
		due = append(due, f)
	}
	return due, nil
}

// weighFile estimates the live and garbage bytes of a sealed file. The caller is reading.
func (s *Store) weighFile(op string, entry manifest.SealedFile, m marks) (w weight, err error) {
	f, err := s.openSealed(op, entry.Name)
	if err != nil {
		return w, err
	}
	err = f.View(op, func(tx *boltfile.Tx) error {
		w, err = weigh(op, tx, m)
		return err
	})
	return w, err
}

// rewriteFile rewrites one file and returns how many bytes that saved.
func (s *Store) rewriteFile(ctx context.Context, old manifest.SealedFile) (saved int64, err error) {
	failpoint.Hit(failpoint.RewriteBegun)
	from, err := boltfile.Open(fault.OpRewrite, filepath.Join(s.options.Directory, old.Name), boltfile.Options{ReadOnly: true})
	if err != nil {
		return 0, err
	}
	defer from.Close()
	if err := from.CheckDescription(fault.OpRewrite, s.lineage); err != nil {
		return 0, err
	}
	done, err := s.reading(fault.OpRewrite)
	if err != nil {
		return 0, err
	}
	m := s.index.marks()
	done()
	next := manifest.SealedFile{Name: nextGeneration(old.Name), SealedAt: old.SealedAt}
	err = s.build(fault.OpRewrite, next.Name, s.lineage, func(to *boltfile.File) error {
		return from.View(fault.OpRewrite, func(tx *boltfile.Tx) error {
			r := rewriter{
				carrier: carrier{from: memtable.View{File: tx}, to: to, numbers: tx.Numbers(), large: s.blobs.Spill()},
				marks:   m, rate: throttle{ctx: ctx, rate: s.options.RewriteRate}, left: map[uint64]*remains{},
			}
			defer r.large.Release()
			to.SyncEach() // many small syncs delay commits less than one at the end
			err := r.all()
			next.Bytes, next.OutOfLine = to.Size(), r.outOfLine
			return err
		})
	})
	if err != nil {
		return 0, err
	}
	failpoint.Hit(failpoint.RewriteBuilt)
	if err := s.replace(ctx, old, next); err != nil {
		return 0, err
	}
	failpoint.Hit(failpoint.RewriteDone)
	return old.Bytes - next.Bytes, nil
}

// nextGeneration returns the name of the file that replaces another.
func nextGeneration(name string) string {
	base, generation, _ := strings.Cut(strings.TrimSuffix(name, ".journal"), "-")
	n := 0
	_, _ = fmt.Sscan(generation, &n) // fails for the first generation
	return fmt.Sprintf("%s-%d.journal", base, n+1)
}

// replace replaces the old file by the rewritten one. It waits while all files
// are being read. If the old file was dropped meanwhile, the new one is removed.
func (s *Store) replace(ctx context.Context, old, next manifest.SealedFile) error {
	discard := func(err error) error {
		os.Remove(filepath.Join(s.options.Directory, next.Name))
		return err
	}
	for !s.upkeep.TryLock() {
		if err := wait(ctx, waitAgain); err != nil {
			return discard(err)
		}
	}
	defer s.upkeep.Unlock()
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.writable(fault.OpRewrite); err != nil {
		return discard(err)
	}
	m := *s.manifest
	i := slices.IndexFunc(m.Sealed, func(f manifest.SealedFile) bool { return f.Name == old.Name })
	if i < 0 {
		return discard(nil)
	}
	m.Sealed = slices.Clone(m.Sealed)
	m.Sealed[i] = next
	_, renamed, err := s.drop(fault.OpRewrite, &m, []manifest.SealedFile{old})
	if err != nil && !renamed {
		return discard(err)
	}
	return err
}
