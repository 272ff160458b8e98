package persistence

import (
	"bytes"
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
	"betcode/persistence/internal/record"
	storev1 "betcode/proto/betcode/store/v1"
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

// rewriter copies the histories above the marks, and the list of sessions, from a sealed
// file. The state of sessions at the time of the seal is in later files.
type rewriter struct {
	carrier

	marks     marks
	rate      throttle
	left      map[uint64]*remains
	outOfLine int64
}

// remains is the rest of a session's history in the file.
type remains struct {
	dropped uint64 // events up to this one are dropped
	body    []byte // of the chunk with that event
	bytes   uint64
}

func (r *rewriter) all() error {
	steps := []func() error{
		func() error { return r.each(record.BucketEvents, r.chunk) },
		func() error { return r.each(record.BucketIDs, r.as(record.BucketIDs)) },
		func() error { return r.each(record.BucketSessions, r.session) },
		func() error { return r.each(record.BucketMeta, r.checkpoint) },
		r.flush,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (r *rewriter) each(bucket []byte, fn func(key, value []byte) error) error {
	return r.from.All(bucket, func(key, value []byte) error {
		if err := r.rate.pass(len(key) + len(value)); err != nil {
			return err
		}
		return fn(key, value)
	})
}

func (r *rewriter) as(bucket []byte) func(key, value []byte) error {
	return func(key, value []byte) error { return r.put(bucket, key, value) }
}

// chunk copies a chunk if an event of it may be needed.
func (r *rewriter) chunk(key, value []byte) error {
	number, _ := record.NumberOf(key)
	last, ok := record.SecondOf(key)
	body, err := record.Unstamp(key, value)
	if err != nil || !ok {
		return record.DamagedKey(fault.OpRewrite, record.BucketEvents, key, cmp.Or(err, record.ErrChunk))
	}
	left := r.left[number]
	if left == nil {
		left = &remains{}
		r.left[number] = left
	}
	_, length, out, err := record.Referenced(body)
	if err != nil {
		return record.DamagedKey(fault.OpRewrite, record.BucketEvents, key, err)
	}
	if r.marks.useless(number, messages.Seq(last)) {
		left.dropped, left.body = last, body
		return nil
	}
	if out {
		r.outOfLine += int64(length) //nolint:gosec // of a file
		left.bytes += length
	} else {
		left.bytes += uint64(len(body))
	}
	return r.put(record.BucketEvents, key, value)
}

// session copies the rows of a session: its existence, and the end of its history in this
// file. Of a deleted session no content is copied.
func (r *rewriter) session(key, value []byte) error {
	number, _ := record.NumberOf(key)
	if key[len(key)-1] != record.RowCursor {
		if !r.marks.gone(number) {
			return r.put(record.BucketSessions, key, value)
		}
		empty, err := record.Encode(key, &storev1.Session{Version: record.RecordVersion}, nil)
		if err != nil {
			return err
		}
		return r.put(record.BucketSessions, key, empty)
	}
	var c storev1.Cursor
	if err := record.Decode(fault.OpRewrite, record.BucketSessions, key, value, &c); err != nil {
		return err
	}
	if left := r.left[number]; left != nil {
		if err := r.drop(&c, left); err != nil {
			return record.DamagedKey(fault.OpRewrite, record.BucketEvents, record.PairKey(number, left.dropped), err)
		}
		c.Bytes = c.GetBaseBytes() + left.bytes
	}
	if r.marks.gone(number) {
		c.Translator = nil
	}
	kept, err := record.Encode(key, &c, nil)
	if err != nil {
		return err
	}
	return r.put(record.BucketSessions, key, kept)
}

// drop records in a cursor which events were dropped.
func (r *rewriter) drop(c *storev1.Cursor, left *remains) error {
	switch left.dropped {
	case 0:
	case c.GetHead():
		c.Dropped, c.DroppedChain = c.GetHead(), c.GetChain()
	default:
		body, err := r.large.Resolve(left.body)
		if err != nil {
			return err
		}
		_, chain, _ := record.Unchain(body)
		c.Dropped, c.DroppedChain = left.dropped, chain.Bytes()
	}
	return nil
}

func (r *rewriter) checkpoint(key, value []byte) error {
	if !bytes.Equal(key, record.CheckpointKey) {
		return nil // the new file has its own description
	}
	return r.put(record.BucketMeta, key, value)
}
