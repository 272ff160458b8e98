package logfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
)

// Options are the options of a log.
type Options struct {
	Path   string
	Limits Limits

	// Crashes copies the runtime's output at a crash to the log, unless standard error is
	// the log. A process can have one such file.
	Crashes bool
	// Failing is called once when a rotation fails and the log grows without bound, and with
	// nil when rotation works again. It must not write to the log. nil = not called.
	Failing func(error)
}

// Limits bound the size of a log.
type Limits struct {
	Bytes int64 // of one file; a longer line gets a file of its own. 0 or less = no limit
	Files int   // at least 1, including the newest
}

// File is a log. Its methods may be called from any goroutine.
type File struct {
	path    string
	crashes bool
	failing func(error)

	mu       sync.Mutex
	limits   Limits
	out      *os.File
	info     os.FileInfo // of out
	standard []*os.File  // standard outputs of this process that are the log
	failed   bool        // the last call of failing reported an error
}

// Open opens a log and creates it with mode 0600 if it does not exist. Files that are not
// regular, such as terminals and pipes, are never rotated.
func Open(o Options) (*File, error) {
	path := o.Path
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // a rotation would rename the link
	}
	f := &File{path: path, crashes: o.Crashes, failing: o.Failing, limits: o.Limits}
	var err error
	if f.out, f.info, err = open(path); err != nil {
		return nil, err
	}
	for _, out := range []*os.File{os.Stdout, os.Stderr} {
		if info, err := out.Stat(); err == nil && f.info.Mode().IsRegular() && os.SameFile(info, f.info) {
			f.standard = append(f.standard, out)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.note(f.catchCrashes())
	f.fit(0)
	return f, nil
}

func open(path string) (*os.File, os.FileInfo, error) {
	out, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, err
	}
	info, err := out.Stat()
	if err != nil {
		out.Close()
		return nil, nil, err
	}
	return out, info, nil
}

// SetLimits changes the limits from the next line on.
func (f *File) SetLimits(l Limits) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.limits = l
}

// Write implements io.Writer. It takes whole lines.
func (f *File) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fit(int64(len(line)))
	return f.out.Write(line)
}

// Close closes the log. It does not change standard output and standard error.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.out.Close()
}

// fit reopens the log if another file is at its path, and rotates it if it has no room for
// that many more bytes. After a failure the open file stays in use.
func (f *File) fit(more int64) {
	if !f.info.Mode().IsRegular() {
		return
	}
	switch now, err := os.Stat(f.path); {
	case errors.Is(err, fs.ErrNotExist), err == nil && now.Mode().IsRegular() && !os.SameFile(now, f.info):
		f.note(f.reopen()) // it was moved or deleted
	case err != nil:
		f.note(err)
	case f.limits.Bytes > 0 && now.Size() > 0 && now.Size()+more > f.limits.Bytes:
		f.note(f.rotate())
	default:
		f.note(nil)
	}
}

// reopen continues the log in the file at its path.
func (f *File) reopen() error {
	out, info, err := open(f.path)
	if err != nil {
		return err
	}
	former := f.out
	f.out, f.info = out, info
	for _, standard := range f.standard {
		err = errors.Join(err, redirect(standard, out))
	}
	return errors.Join(err, f.catchCrashes(), former.Close())
}

func (f *File) catchCrashes() error {
	if !f.crashes || len(f.standard) > 0 {
		return nil
	}
	return debug.SetCrashOutput(f.out, debug.CrashOptions{})
}

// note reports when rotation begins to fail and when it works again.
func (f *File) note(err error) {
	if f.failing == nil || (err != nil) == f.failed {
		return
	}
	if f.failed = err != nil; f.failed {
		err = fmt.Errorf("rotate log %s: %w", f.path, err)
	}
	f.failing(err)
}
