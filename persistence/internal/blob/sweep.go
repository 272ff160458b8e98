package blob

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"betcode/messages/failpoint"
	"betcode/persistence/internal/disk"
	"betcode/persistence/internal/record"
)

// Keep keeps all payloads from being swept until the returned function is called.
func (b *Directory) Keep() (release func()) {
	b.needed.RLock()
	return b.needed.RUnlock
}

// TryExclusive excludes Keep until release is called. It does not wait: ok is false while
// payloads are kept.
func (b *Directory) TryExclusive() (release func(), ok bool) {
	if !b.needed.TryLock() {
		return nil, false
	}
	return b.needed.Unlock, true
}

// BeginRead begins to read rows and the payloads they refer to, which are not removed
// before EndRead.
func (b *Directory) BeginRead() { b.readers.RLock() }

// EndRead ends a read.
func (b *Directory) EndRead() { b.readers.RUnlock() }

// Sweep removes the payloads of one directory that are neither listed nor pinned, and
// leftovers of a crash. While listed runs no row can begin to refer to a payload.
func (b *Directory) Sweep(shard byte, listed func() (map[record.PayloadID]bool, error)) (removed int, err error) {
	entries, err := os.ReadDir(b.shard(shard))
	if errors.Is(err, os.ErrNotExist) || (err == nil && len(entries) == 0) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	b.readers.Lock() // a reader may have rows that were replaced since
	defer b.readers.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	keep, err := listed()
	if err != nil {
		return 0, err
	}
	failpoint.Hit(failpoint.SweepMarked)
	for _, e := range entries {
		base, half := strings.CutSuffix(e.Name(), disk.Unfinished)
		id, ok := record.ParsePayloadID(base)
		if !ok || b.pins[id] > 0 || (keep[id] && !half) {
			continue
		}
		if err := os.Remove(filepath.Join(b.shard(shard), e.Name())); err != nil && !errors.Is(err, os.ErrNotExist) {
			return removed, err
		}
		removed++
		if err := b.Steps.At("payload swept"); err != nil {
			return removed, err
		}
	}
	return removed, nil
}

// EachFile calls do for the directory of each shard, and for each file in it.
func (b *Directory) EachFile(do func(id record.PayloadID, known bool, bytes int64), failed func(shard string, err error)) {
	for n := range Shards {
		entries, err := os.ReadDir(b.shard(byte(n)))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			failed(filepath.Join(DirectoryName, filepath.Base(b.shard(byte(n)))), err)
		}
		for _, e := range entries {
			id, ok := record.ParsePayloadID(e.Name())
			bytes := int64(0)
			if info, err := e.Info(); err == nil {
				bytes = info.Size()
			}
			do(id, ok, bytes)
		}
	}
}
