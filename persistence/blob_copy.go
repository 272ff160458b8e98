package persistence

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"

	"betcode/messages"
)

// copying says how payloads are copied.
type copying struct{ link, damaged bool }

// copy copies into the directory of another journal what the files there refer
// to, or links it where that is wanted and the disk can. names are those files;
// they are read in the directory files. A payload that is missing is
// [messages.DataLoss], or passed over where that is accepted.
func (b *blobs) copy(ctx context.Context, op, files, to string, names []string, how copying) (copied, linked int64, err error) {
	target := newBlobs(to, b.steps)
	shards := map[string]bool{}
	one := func(p spilled) error {
		shard := target.shard(p.id[0])
		if !shards[shard] {
			if err := os.MkdirAll(shard, 0o700); err != nil {
				return err
			}
			shards[shard] = true
		}
		from, into := b.path(p.id), target.path(p.id)
		if how.link && os.Link(from, into) == nil {
			linked += int64(p.length)
			return nil
		}
		switch err := copyFile(ctx, from, into); {
		case errors.Is(err, os.ErrExist):
			return nil // another file refers to it too
		case errors.Is(err, os.ErrNotExist) && how.damaged:
			return nil
		case errors.Is(err, os.ErrNotExist):
			return damagedKey(op, bucketBlobs, p.id[:], errors.New("the payload is missing"))
		case err != nil:
			return err
		}
		copied += int64(p.length)
		return nil
	}
	for _, name := range names {
		err := eachBlobIn(op, filepath.Join(files, name), one)
		if err != nil && how.damaged && messages.KindOf(err) == messages.DataLoss {
			continue
		}
		if err != nil {
			return copied, linked, storageError(op, err)
		}
	}
	for shard := range shards {
		if err := syncDirectory(shard); err != nil {
			return copied, linked, storageError(op, err)
		}
	}
	if len(shards) > 0 {
		if err := syncDirectory(target.directory); err != nil {
			return copied, linked, storageError(op, err)
		}
	}
	return copied, linked, nil
}

// eachBlobIn is eachBlob for a file that nobody writes to.
func eachBlobIn(op, path string, do func(spilled) error) error {
	f, err := openBolt(op, path, bolt.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer f.close()
	return f.view(op, func(tx *bolt.Tx) error { return eachBlob(op, tx, nil, do) })
}
