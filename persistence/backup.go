package persistence

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"betcode/messages"
	"betcode/persistence/internal/blob"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/disk"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/manifest"
	"betcode/persistence/internal/upkeep"
	"betcode/persistence/planlog"
)

// sealBeforeReading is how much the active file may have grown before it is sealed so
// that all of it can be read: commits wait while the rest is read, a quarter of a second
// at worst. (One long read transaction beside commits would make the file grow without
// bound.)
const sealBeforeReading = 64 << 20

// sealLarge seals the active file if reading it would take long. It ignores a failed
// seal, after which reading takes long.
func (s *Store) sealLarge() {
	done, err := s.reading(fault.OpSeal)
	if err != nil || s.options.ReadOnly {
		if err == nil {
			done()
		}
		return
	}
	large := s.active.Size()-s.active.BuiltBytes > s.options.sealBeforeReading
	done()
	if large {
		_ = s.Seal() // the store itself reports a failing disk
	}
}

// Backup writes a consistent snapshot of the journal into a directory that does not
// exist or is empty. Commits wait only while the active file is
// copied, which is sealed first if it is large; sealed files are copied while
// the journal is used, or linked if link is set and the filesystem can. The journals
// of orchestrations are copied as of the same time.
//
// The copy is made under another name and renamed when it is complete and
// durable. It can be opened with ReadOnly; [Restore] makes a journal of it.
func (s *Store) Backup(ctx context.Context, path string, link bool) (messages.JournalBackup, error) {
	b := messages.JournalBackup{Path: path, Lineage: s.lineage}
	if err := s.checkTarget(path); err != nil {
		return b, err
	}
	defer s.stay()()
	s.sealLarge()
	unfinished := path + upkeep.Halfway
	if err := os.Mkdir(unfinished, 0o700); err != nil {
		if errors.Is(err, os.ErrExist) {
			return b, messages.Errorf(fault.OpBackup, messages.AlreadyExists, "%s is there: a backup is being made, or was broken off", unfinished).
				WithHint("Remove it if no backup is being made.")
		}
		return b, fault.Storage(fault.OpBackup, err)
	}
	if err := s.copyTo(ctx, unfinished, link, &b); err != nil {
		os.RemoveAll(unfinished)
		if canceled := ctx.Err(); canceled != nil {
			err = messages.Errorf(fault.OpBackup, messages.Canceled, "%w", canceled)
		}
		return b, err
	}
	return b, nil
}

// checkTarget refuses a directory that cannot hold a backup.
func (s *Store) checkTarget(path string) error {
	if !filepath.IsAbs(path) {
		return messages.Errorf(fault.OpBackup, messages.Invalid, "%q is not an absolute path", path)
	}
	if inside, err := filepath.Rel(s.options.Directory, path); err == nil && filepath.IsLocal(inside) {
		return messages.Errorf(fault.OpBackup, messages.Invalid, "%s is inside the journal", path)
	}
	return upkeep.CheckEmpty(fault.OpBackup, path)
}

func (s *Store) copyTo(ctx context.Context, to string, link bool, b *messages.JournalBackup) error {
	m, plans, err := s.copyActive(ctx, to, b)
	if err != nil {
		return err
	}
	if err := copyPlans(ctx, plans, to, b); err != nil {
		return err
	}
	for _, f := range m.Sealed {
		if err := s.copySealed(ctx, f, to, link, b); err != nil {
			return err
		}
	}
	copied, linked, err := s.blobs.Copy(ctx, fault.OpBackup, to, to, m.Names(), blob.CopyOptions{Link: link})
	if err != nil {
		return err
	}
	b.Bytes, b.LinkedBytes = b.Bytes+copied+linked, b.LinkedBytes+linked
	if err := disk.SyncDirectory(to); err != nil {
		return fault.Storage(fault.OpBackup, err)
	}
	if _, err := m.Write(to, s.options.steps); err != nil {
		return fault.Storage(fault.OpBackup, err)
	}
	if err := s.options.steps.At("backup written"); err != nil {
		return fault.Storage(fault.OpBackup, err)
	}
	if err := disk.RenameDirectory(to, b.Path); err != nil {
		return fault.Storage(fault.OpBackup, err)
	}
	if err := disk.SyncDirectory(filepath.Dir(b.Path)); err != nil {
		return fault.Storage(fault.OpBackup, err)
	}
	return nil
}

// copyActive copies the active file while nothing writes to it, and returns the manifest
// of that time, and the lengths of the journals of orchestrations.
func (s *Store) copyActive(ctx context.Context, to string, b *messages.JournalBackup) (*manifest.Manifest, planlog.Marks, error) {
	s.moving.Lock()
	defer s.moving.Unlock()
	var plans planlog.Marks
	if err := s.checkpointAhead(fault.OpBackup); err != nil {
		return nil, plans, err
	}
	s.writing.Lock()
	began := time.Now()
	m, size, err := s.copyPages(ctx, to)
	if err == nil {
		plans, err = planlog.Mark(s.options.Plans)
	}
	b.Paused = time.Since(began)
	s.writing.Unlock()
	if err == nil {
		err = disk.SyncFile(filepath.Join(to, m.Active))
	}
	if err != nil {
		return nil, plans, fault.Storage(fault.OpBackup, err)
	}
	b.Files, b.Bytes = b.Files+1, b.Bytes+size
	return m, plans, nil
}

// copyPlans copies the journals of orchestrations as they were when the active file was
// copied.
func copyPlans(ctx context.Context, plans planlog.Marks, to string, b *messages.JournalBackup) error {
	files, size, err := plans.Copy(ctx, filepath.Join(to, planlog.DirectoryName))
	if err != nil {
		return fault.Storage(fault.OpBackup, err)
	}
	b.Files, b.Bytes = b.Files+files, b.Bytes+size
	return nil
}

// checkpointAhead moves most rows of the logs while commits go on, so that commits wait for less
// afterwards. The caller holds moving.
func (s *Store) checkpointAhead(op string) error {
	if s.options.ReadOnly {
		return nil
	}
	return s.checkpoint(op)
}

// copyPages is the part of copyActive for which commits wait. The caller holds
// writing.
func (s *Store) copyPages(ctx context.Context, to string) (m *manifest.Manifest, size int64, err error) {
	if s.active == nil {
		return nil, 0, fault.Closed(fault.OpBackup)
	}
	if failed := s.failed.Load(); failed != nil {
		return nil, 0, fault.Again(fault.OpBackup, failed)
	}
	if !s.options.ReadOnly {
		if err := s.checkpointNow(fault.OpBackup); err != nil {
			return nil, 0, err
		}
	}
	if o := s.overlay.Load(); o.Frozen != nil {
		return nil, 0, messages.Errorf(fault.OpBackup, messages.WrongState, "what the logs hold was not moved").
			WithHint("Open the journal once, so that it is.")
	}
	out, err := os.OpenFile(filepath.Join(to, s.active.Name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, 0, fault.Storage(fault.OpBackup, err)
	}
	err = s.active.View(fault.OpBackup, func(tx *boltfile.Tx) (err error) {
		size, err = tx.CopyTo(canceling{ctx, out})
		return err
	})
	if closing := out.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, 0, fault.Storage(fault.OpBackup, err)
	}
	m = new(*s.manifest)
	m.Logs = nil // they are empty
	return m, size, nil
}

// copySealed copies or links a sealed file.
func (s *Store) copySealed(ctx context.Context, f manifest.SealedFile, to string, link bool, b *messages.JournalBackup) error {
	from, into := filepath.Join(s.options.Directory, f.Name), filepath.Join(to, f.Name)
	info, err := os.Stat(from)
	if err != nil {
		return fault.Storage(fault.OpBackup, err)
	}
	b.Files, b.Bytes = b.Files+1, b.Bytes+info.Size()
	if link && os.Link(from, into) == nil {
		b.LinkedBytes += info.Size()
		return nil
	}
	if err := disk.CopyFile(ctx, from, into); err != nil {
		return fault.Storage(fault.OpBackup, err)
	}
	return nil
}

// canceling is a writer that fails when the context has ended.
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
