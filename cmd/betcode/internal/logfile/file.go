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

// Options say where a log is and how large it may be.
type Options struct {
	Path   string
	Limits Limits

	// Crashes has what the runtime prints when the process crashes written to the log as
	// well, where standard error is not the log anyway. There is one such file in a process.
	Crashes bool
	// Failing is told, once, that the log cannot be rotated and grows on, and with nil that
	// it can again; nil = nobody. It must not write to the log.
	Failing func(error)
}

// Limits are how large a log may be.
type Limits struct {
	Bytes int64 // of one file; a longer line has a file to itself. 0 or less = without limit
	Files int   // at least 1, the newest included
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
	standard []*os.File  // outputs of this process that are the log
	failed   bool        // told last
}

// Open opens a log, 0600 if there is none yet. What is no regular file, such as a
// terminal or a pipe, is written to and never rotated.
func Open(o Options) (*File, error) {
	path := o.Path
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // a link would be renamed itself
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

// SetLimits changes how large the log may be, from the next line on.
func (f *File) SetLimits(l Limits) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.limits = l
}

// Write implements io.Writer for whole lines.
func (f *File) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fit(int64(len(line)))
	return f.out.Write(line)
}

// Close closes the log. Standard output and error stay as they are.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.out.Close()
}

// fit makes sure that the file that is written to is the one at the path, and has room.
// Whatever fails, the log is written to the file that is open.
func (f *File) fit(more int64) {
	if !f.info.Mode().IsRegular() {
		return
	}
	switch now, err := os.Stat(f.path); {
	case errors.Is(err, fs.ErrNotExist), err == nil && now.Mode().IsRegular() && !os.SameFile(now, f.info):
		f.note(f.reopen()) // somebody has moved it
	case err != nil:
		f.note(err)
	case f.limits.Bytes > 0 && now.Size() > 0 && now.Size()+more > f.limits.Bytes:
		f.note(f.rotate())
	default:
		f.note(nil)
	}
}

// reopen goes on in the file at the path.
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

// note tells when rotating begins to fail, and when it works again.
func (f *File) note(err error) {
	if f.failing == nil || (err != nil) == f.failed {
		return
	}
	if f.failed = err != nil; f.failed {
		err = fmt.Errorf("rotate log %s: %w", f.path, err)
	}
	f.failing(err)
}
