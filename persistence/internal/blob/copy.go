package blob

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"betcode/messages"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/disk"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/record"
)

// CopyOptions configure a copy of payloads.
type CopyOptions struct{ Link, Damaged bool }

// Copy copies the payloads that journal files refer to into the directory of another
// journal, or links them if Link is set and the filesystem can. names are the files, which
// are in the directory files. A missing payload is [messages.DataLoss], or skipped if
// Damaged is set.
func (b *Directory) Copy(ctx context.Context, op, files, to string, names []string, how CopyOptions) (copied, linked int64, err error) {
	target := New(to, b.Steps)
	shards := map[string]bool{}
	one := func(p record.Payload) error {
		shard := target.shard(p.ID[0])
		if !shards[shard] {
			if err := os.MkdirAll(shard, 0o700); err != nil {
				return err
			}
			shards[shard] = true
		}
		from, into := b.Path(p.ID), target.Path(p.ID)
		if how.Link && os.Link(from, into) == nil {
			linked += int64(p.Length)
			return nil
		}
		switch err := disk.CopyFile(ctx, from, into); {
		case errors.Is(err, os.ErrExist):
			return nil // another file refers to it too
		case errors.Is(err, os.ErrNotExist) && how.Damaged:
			return nil
		case errors.Is(err, os.ErrNotExist):
			return record.DamagedKey(op, record.BucketPayloads, p.ID[:], errors.New("the payload is missing"))
		case err != nil:
			return err
		}
		copied += int64(p.Length)
		return nil
	}
	for _, name := range names {
		err := boltfile.EachPayloadIn(op, filepath.Join(files, name), one)
		if err != nil && how.Damaged && messages.KindOf(err) == messages.DataLoss {
			continue
		}
		if err != nil {
			return copied, linked, fault.Storage(op, err)
		}
	}
	for shard := range shards {
		if err := disk.SyncDirectory(shard); err != nil {
			return copied, linked, fault.Storage(op, err)
		}
	}
	if len(shards) > 0 {
		if err := disk.SyncDirectory(target.directory); err != nil {
			return copied, linked, fault.Storage(op, err)
		}
	}
	return copied, linked, nil
}
