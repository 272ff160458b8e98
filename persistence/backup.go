package persistence

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"

	"betcode/messages"
)

const (
	// sealBeforeReading is how much the active file may have grown before it is
	// sealed for the sake of somebody who wants to read all of it: commits wait
	// while the rest is read, a quarter of a second at worst. (To read on in one
	// transaction while others commit would make the file grow without bound.)
	sealBeforeReading = 64 << 20

	// halfway is the end of the name of a backup that is not whole.
	halfway = ".unfinished"

	copyBytes = 4 << 20
)

// sealLarge seals the active file if reading it would take long. If that fails,
// it takes long.
func (s *Store) sealLarge() {
	done, err := s.reading(opSeal)
	if err != nil || s.options.ReadOnly {
		if err == nil {
			done()
		}
		return
	}
	large := s.active.size()-s.active.builtBytes > s.options.sealBeforeReading
	done()
	if large {
		_ = s.Seal() // it says so itself when the disk fails
	}
}

// Backup writes a copy of the journal as it is at one moment into a directory
// that does not exist or is empty. Commits wait only while the active file is
// copied, which is sealed first if it is large; sealed files are copied while
// the journal is used, or linked where link is given and the disk can.
//
// The copy is made under another name and gets its own when it is whole and on
// disk. It can be opened with ReadOnly; [Restore] makes a journal of it.
func (s *Store) Backup(ctx context.Context, path string, link bool) (messages.JournalBackup, error) {
	b := messages.JournalBackup{Path: path, Lineage: s.lineage}
	if err := s.checkTarget(path); err != nil {
		return b, err
	}
	defer s.stay()()
	s.sealLarge()
	unfinished := path + halfway
	if err := os.Mkdir(unfinished, 0o700); err != nil {
		if errors.Is(err, os.ErrExist) {
			return b, messages.Errorf(opBackup, messages.AlreadyExists, "%s is there: a backup is being made, or was broken off", unfinished).
				WithHint("Remove it if no backup is being made.")
		}
		return b, storageError(opBackup, err)
	}
	if err := s.copyTo(ctx, unfinished, link, &b); err != nil {
		os.RemoveAll(unfinished)
		if canceled := ctx.Err(); canceled != nil {
			err = messages.Errorf(opBackup, messages.Canceled, "%w", canceled)
		}
		return b, err
	}
	return b, nil
}

// checkTarget refuses a place where a backup cannot be.
func (s *Store) checkTarget(path string) error {
	if !filepath.IsAbs(path) {
		return messages.Errorf(opBackup, messages.Invalid, "%q is not an absolute path", path)
	}
	if inside, err := filepath.Rel(s.options.Directory, path); err == nil && filepath.IsLocal(inside) {
		return messages.Errorf(opBackup, messages.Invalid, "%s is inside the journal", path)
	}
	return checkEmpty(opBackup, path)
}

// checkEmpty refuses a path that is anything but nothing or an empty directory.
func checkEmpty(op, path string) error {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
			return messages.Errorf(op, messages.NotFound, "there is no directory %s", filepath.Dir(path))
		}
		return nil
	case err != nil:
		return (&messages.Error{Op: op, Kind: messages.Invalid, Err: err})
	case len(entries) > 0:
		return messages.Errorf(op, messages.AlreadyExists, "%s is not empty", path).WithHint("Name a directory that does not exist.")
	}
	return nil
}

func (s *Store) copyTo(ctx context.Context, to string, link bool, b *messages.JournalBackup) error {
	m, err := s.copyActive(ctx, to, b)
	if err != nil {
		return err
	}
	for _, f := range m.Sealed {
		if err := s.copySealed(ctx, f, to, link, b); err != nil {
			return err
		}
	}
	copied, linked, err := s.blobs.copy(ctx, opBackup, to, to, m.names(), copying{link: link})
	if err != nil {
		return err
	}
	b.Bytes, b.LinkedBytes = b.Bytes+copied+linked, b.LinkedBytes+linked
	if err := syncDirectory(to); err != nil {
		return storageError(opBackup, err)
	}
	if _, err := m.write(to, s.options.steps); err != nil {
		return storageError(opBackup, err)
	}
	if err := s.options.steps.at("backup written"); err != nil {
		return storageError(opBackup, err)
	}
	if err := renameDirectory(to, b.Path); err != nil {
		return storageError(opBackup, err)
	}
	if err := syncDirectory(filepath.Dir(b.Path)); err != nil {
		return storageError(opBackup, err)
	}
	return nil
}

// copyActive copies the active file while nobody writes to it, and returns the
// manifest of that moment.
func (s *Store) copyActive(ctx context.Context, to string, b *messages.JournalBackup) (*manifest, error) {
	s.moving.Lock()
	defer s.moving.Unlock()
	if err := s.settle(opBackup); err != nil {
		return nil, err
	}
	s.writing.Lock()
	began := time.Now()
	m, size, err := s.copyPages(ctx, to)
	b.Paused = time.Since(began)
	s.writing.Unlock()
	if err != nil {
		return nil, err
	}
	if err := syncFile(filepath.Join(to, m.Active)); err != nil {
		return nil, storageError(opBackup, err)
	}
	b.Files, b.Bytes = b.Files+1, b.Bytes+size
	return m, nil
}

// settle moves most of what is in the logs while commits go on, so that they wait
// for less. The caller holds moving.
func (s *Store) settle(op string) error {
	if s.options.ReadOnly {
		return nil
	}
	return s.checkpoint(op)
}

// copyPages is the part of copyActive for which commits wait. The caller holds
// writing.
func (s *Store) copyPages(ctx context.Context, to string) (m *manifest, size int64, err error) {
	if s.active == nil {
		return nil, 0, closed(opBackup)
	}
	if failed := s.failed.Load(); failed != nil {
		return nil, 0, again(opBackup, failed)
	}
	if !s.options.ReadOnly {
		if err := s.checkpointNow(opBackup); err != nil {
			return nil, 0, err
		}
	}
	if o := s.overlay.Load(); o.frozen != nil {
		return nil, 0, messages.Errorf(opBackup, messages.WrongState, "what the logs hold was not moved").
			WithHint("Open the journal once, so that it is.")
	}
	out, err := os.OpenFile(filepath.Join(to, s.active.name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, 0, storageError(opBackup, err)
	}
	err = s.active.view(opBackup, func(tx *bolt.Tx) (err error) {
		size, err = tx.WriteTo(canceling{ctx, out})
		return err
	})
	if closing := out.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, 0, storageError(opBackup, err)
	}
	m = new(*s.manifest)
	m.Logs = nil // there is nothing in them
	return m, size, nil
}

// copySealed copies or links a file that nobody writes to.
func (s *Store) copySealed(ctx context.Context, f sealedFile, to string, link bool, b *messages.JournalBackup) error {
	from, into := filepath.Join(s.options.Directory, f.Name), filepath.Join(to, f.Name)
	info, err := os.Stat(from)
	if err != nil {
		return storageError(opBackup, err)
	}
	b.Files, b.Bytes = b.Files+1, b.Bytes+info.Size()
	if link && os.Link(from, into) == nil {
		b.LinkedBytes += info.Size()
		return nil
	}
	if err := copyFile(ctx, from, into); err != nil {
		return storageError(opBackup, err)
	}
	return nil
}

// copyFile copies a file onto the disk.
func copyFile(ctx context.Context, from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	for err == nil { // the system copies, if it can, so much at a time
		if err = ctx.Err(); err == nil {
			_, err = io.CopyN(out, in, copyBytes)
		}
	}
	if errors.Is(err, io.EOF) {
		err = out.Sync()
	}
	if closing := out.Close(); err == nil {
		err = closing
	}
	return err
}

// canceling is a writer that fails when nobody waits any more.
type canceling struct {
	ctx context.Context
	io.Writer
}

func (c canceling) Write(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.Writer.Write(b)
}
