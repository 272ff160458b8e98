package gateways

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"betcode/cmd/betcode/internal/statedir"
	"betcode/gateway/portal/proxy"
	"betcode/messages"
)

// proxyName names what is kept for a session at a portal.
func proxyName(parts ...any) string {
	sum := sha256.Sum256([]byte(fmt.Sprintln(parts...)))
	return hex.EncodeToString(sum[:])[:32]
}

// proxyStore implements [proxy.Store] with a file, in a directory that one process has.
type proxyStore struct {
	directory string
	lock      *flock.Flock
}

// openProxyStore opens the store in a directory. It fails if another proxy has it.
func openProxyStore(directory string) (*proxyStore, error) {
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return nil, fmt.Errorf("%s: %w", opProxy, err)
	}
	s := &proxyStore{directory, flock.New(filepath.Join(directory, "lock"), flock.SetPermissions(0o600))}
	locked, err := s.lock.TryLock()
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", opProxy, err)
	case !locked:
		return nil, messages.Errorf(opProxy, messages.AlreadyExists, "another proxy has this session at this portal").
			WithHint("stop that one, or give another --session")
	}
	return s, nil
}

func (s *proxyStore) file() string { return filepath.Join(s.directory, "checkpoint.json") }

// Load implements [proxy.Store].
func (s *proxyStore) Load() (c proxy.Checkpoint, err error) {
	raw, err := os.ReadFile(s.file())
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &c)
	}
	if err != nil {
		return c, messages.Errorf(opProxy, messages.DataLoss, "read %s: %w", s.file(), err).
			WithHint("remove the file: all lines are then sent to the portal again, under the same numbers")
	}
	return c, nil
}

// Save implements [proxy.Store].
func (s *proxyStore) Save(c proxy.Checkpoint) error {
	raw, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return statedir.Replace(s.file(), raw)
}

// Close gives the store back.
func (s *proxyStore) Close() error { return s.lock.Close() }

// Bounds of the files that a portal may store.
const (
	maxUploads     = 256 << 20 // bytes in the directory
	maxUploadNames = 1000
)

// partials begin the names of files that are being written; names of complete ones begin with no dot. A
// process has one, and removes those that others have left an hour ago.
const (
	partials    = ".partial-"
	partialLeft = time.Hour
)

// keeping lets one file at a time be stored by this process.
var keeping sync.Mutex

// uploads stores files that people have sent through a portal.
type uploads struct{ directory string }

// keep writes a file that was not there, and returns its path. Links in the directory lead nowhere else. The
// file gets its name when it is complete and on the disk: a process that is killed leaves no part of it under
// a name that people know, and a later keep removes the part.
func (u uploads) keep(name string, data []byte) (string, error) {
	keeping.Lock()
	defer keeping.Unlock()
	if err := os.MkdirAll(u.directory, 0o700); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(u.directory)
	if err != nil {
		return "", err
	}
	defer root.Close()
	partial := partials + strconv.Itoa(os.Getpid())
	if err := root.Remove(partial); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := u.room(root, int64(len(data))); err != nil {
		return "", err
	}
	file, err := root.OpenFile(partial, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return "", errors.Join(err, root.Remove(partial))
	}
	at, err := nameNew(root, partial, name)
	if err = errors.Join(err, root.Remove(partial)); err != nil {
		return "", err
	}
	return filepath.Join(u.directory, at), nil
}

// room checks that the directory may have as many bytes more.
func (u uploads) room(root *os.Root, more int64) error {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil || !info.Mode().IsRegular():
		case strings.HasPrefix(e.Name(), partials) && time.Since(info.ModTime()) > partialLeft:
			if err := root.Remove(e.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		default:
			more += info.Size()
		}
	}
	if more > maxUploads || len(entries) >= maxUploadNames {
		return fmt.Errorf("%s is full: remove files from it", u.directory)
	}
	return nil
}

// nameNew gives the file that is complete a name, or the name with a number: one that nothing has.
func nameNew(root *os.Root, partial, name string) (at string, err error) {
	extension := filepath.Ext(name)
	for n := 1; n <= maxUploadNames; n++ {
		if at = name; n > 1 {
			at = fmt.Sprintf("%s-%d%s", name[:len(name)-len(extension)], n, extension)
		}
		if err = root.Link(partial, at); !errors.Is(err, fs.ErrExist) {
			return at, err
		}
	}
	return "", err
}
