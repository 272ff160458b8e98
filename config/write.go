package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/tidwall/sjson"
)

// Change is one change of a settings file: a new value, as on a command line, or its removal. A
// name may also be feature_flags.<flag>.
type Change struct {
	Name  string
	Value string
	Reset bool
}

// lockTimeout is how long a change waits for another change in the same directory.
const lockTimeout = 10 * time.Second

// Edit changes a settings file: the user's settings.json, or a file of a directory.
type Edit struct {
	Path     string
	Source   Source
	Changes  []Change
	Revision string            // expected revision of the file, see [Revision]; empty = any
	Agrees   func(*File) error // refuses the changed file; nil = no check. See [Agrees].
}

// ErrChanged is returned if the revision of the file is not that of the [Edit].
var ErrChanged = errors.New("the file has been changed since")

// noFile is the revision of a missing file.
const noFile = "none"

// Revision identifies the content of a settings file.
func Revision(path string) (string, error) {
	raw, err := readWhole(path)
	if errors.Is(err, fs.ErrNotExist) {
		return noFile, nil
	}
	return revisionOf(raw), err
}

func revisionOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8])
}

// Do makes all changes or none, and readers see the old file or the new one. Other members keep
// their order. A missing file is created; an invalid one is not changed. Do returns the new
// revision, or an error that names the change that failed, or [ErrChanged].
func (e Edit) Do() (revision string, err error) {
	path := e.Path
	if found, err := filepath.EvalSymlinks(path); err == nil {
		path = found // keeps the link
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("write settings: %w", err)
	}
	unlock, err := lock(path)
	if err != nil {
		return "", fmt.Errorf("write settings: %w", err)
	}
	defer unlock()
	raw, err := readWhole(path)
	revision = revisionOf(raw)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		raw, revision = []byte("{}"), noFile
	case err != nil:
		return "", fmt.Errorf("write settings: %w", err)
	}
	if e.Revision != "" && e.Revision != revision {
		return "", fmt.Errorf("write settings: %s: %w", path, ErrChanged)
	}
	if _, err := ReadFile(path, e.Source); err != nil {
		return "", fmt.Errorf("write settings: correct the file first: %w", err)
	}
	if raw, err = changed(bytes.TrimPrefix(raw, []byte("\ufeff")), e.Source, e.Changes); err != nil {
		return "", err
	}
	if err := e.agrees(raw); err != nil {
		return "", err
	}
	if err := replaceFile(path, raw); err != nil {
		return "", fmt.Errorf("write settings: %w", err)
	}
	return revisionOf(raw), nil
}

// agrees checks the changed file.
func (e Edit) agrees(raw []byte) error {
	if e.Agrees == nil {
		return nil
	}
	f := newFile(e.Path, e.Source)
	if err := f.parse(raw); err != nil {
		return err
	}
	return e.Agrees(f)
}

// changed returns a document with the changes.
func changed(raw []byte, source Source, changes []Change) ([]byte, error) {
	f := &File{Source: source}
	for _, c := range changes {
		name, value, err := c.inFile(f.ofDirectory())
		if err == nil && c.Reset {
			raw, err = sjson.DeleteBytes(raw, name)
		} else if err == nil {
			raw, err = sjson.SetBytes(raw, name, value)
		}
		if err != nil {
			return nil, fmt.Errorf("set %s: %w", c.Name, err)
		}
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, raw, "", "  "); err != nil {
		return nil, err
	}
	return append(bytes.TrimRight(indented.Bytes(), "\n"), '\n'), nil
}

// inFile returns the name and the value of a change in a file.
func (c Change) inFile(ofDirectory bool) (name string, value any, err error) {
	if flag, ok := strings.CutPrefix(c.Name, "feature_flags."); ok {
		on, found := map[string]bool{"true": true, "false": false}[c.Value]
		switch {
		case !plainName(flag):
			return "", nil, fmt.Errorf("%q is not the name of a feature", flag)
		case !found && !c.Reset:
			return "", nil, fmt.Errorf("%q is not true or false", c.Value)
		}
		return c.Name, on, nil
	}
	s, err := Find(c.Name)
	if err != nil {
		return "", nil, err
	}
	if ofDirectory && !s.Directory {
		return "", nil, errors.New("it can be set in your own settings only, not in a directory's")
	}
	name = s.Name
	if ofDirectory && len(s.Aliases) > 0 {
		name = s.Aliases[0] // the agent reads the file too
	}
	if c.Reset {
		return name, nil, nil
	}
	v, err := s.parse(c.Value)
	if err != nil {
		return "", nil, err
	}
	return name, s.inFile(v), nil
}

// plainName reports whether a name has no characters with a meaning in paths.
func plainName(name string) bool {
	return name != "" && !slices.ContainsFunc([]rune(name), func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
}

// lock excludes other changes of files in the same directory. It locks the directory itself, so
// that no lock file is left in a project. If directories cannot be locked, it locks a file, which
// it does not remove: that would break the exclusion for a waiting process.
func lock(path string) (unlock func(), err error) {
	l := flock.New(filepath.Dir(path), flock.SetFlag(os.O_RDONLY))
	if runtime.GOOS == "windows" {
		l = flock.New(path+".lock", flock.SetPermissions(0o600))
	}
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		locked, err := l.TryLock()
		if err != nil {
			return nil, err
		}
		if locked {
			return func() { _ = l.Close() }, nil
		}
		if time.Since(began) > lockTimeout {
			return nil, fmt.Errorf("another process has locked %s for %s", path, lockTimeout)
		}
	}
}

// replaceFile replaces a file atomically. Only the user can read it.
func replaceFile(path string, content []byte) error { return putFile(path, content, os.Rename) }

// createFile is replaceFile for a file that does not exist; else it returns fs.ErrExist.
func createFile(path string, content []byte) error {
	return putFile(path, content, func(from, to string) error {
		defer os.Remove(from)
		return os.Link(from, to) // unlike a rename, a link does not replace a file
	})
}

func putFile(path string, content []byte, put func(from, to string) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(file.Name())
		}
	}()
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err = put(file.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes a rename durable on systems that can sync directories.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return nil //nolint:nilerr // the file exists; only a power loss could undo it
	}
	_ = d.Sync()
	return d.Close()
}
