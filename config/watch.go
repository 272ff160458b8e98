package config

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle is how long files must be unchanged before they are read, because editors write in several steps.
const settle = 200 * time.Millisecond

// Watch calls a function, from one goroutine, whenever the user's settings files in a directory
// may have changed, until ctx ends. The directory need not exist yet. The targets of links are
// watched too. Watch returns when it is watching; stopped is closed after the last call.
func Watch(ctx context.Context, dir string, changed func()) (stopped <-chan struct{}, err error) {
	fs, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch settings: %w", err)
	}
	w := &watch{fs: fs, dir: filepath.Clean(dir)}
	if err := w.arm(); err != nil {
		return nil, errors.Join(fmt.Errorf("watch settings: %w", err), fs.Close())
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer fs.Close()
		w.run(ctx, changed)
	}()
	return done, nil
}

type watch struct {
	fs  *fsnotify.Watcher
	dir string
}

// arm watches the directory of the files, or the nearest existing one above it, and the
// directories of link targets. Files themselves are not watched: they are replaced.
func (w *watch) arm() error {
	dir := w.dir
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			break
		}
		if dir == filepath.Dir(dir) {
			return fmt.Errorf("no directory above %s exists", w.dir)
		}
		dir = filepath.Dir(dir)
	}
	if err := w.fs.Add(dir); err != nil {
		return err
	}
	for _, f := range userFiles(w.dir) {
		if found, err := filepath.EvalSymlinks(f.Path); err == nil && found != f.Path {
			_ = w.fs.Add(filepath.Dir(found)) // without it, only a replacement of the link itself is noticed
		}
	}
	return nil
}

func (w *watch) run(ctx context.Context, changed func()) {
	quiet := time.NewTimer(0)
	<-quiet.C
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-w.fs.Events:
			if !ok {
				return
			}
			if w.concerns(e.Name) {
				quiet.Reset(settle)
			}
		case _, ok := <-w.fs.Errors: // events may be lost, and an extra call is harmless
			if !ok {
				return
			}
			quiet.Reset(settle)
		case <-quiet.C:
			if w.arm() != nil { // retry at the next event
				continue
			}
			changed()
		}
	}
}

// concerns reports whether an event is about the settings, and not about other files in the
// directory: the socket, the lock, temporary files.
func (w *watch) concerns(name string) bool {
	if filepath.Dir(name) != w.dir { // a directory above it, or that of a link target
		for _, f := range userFiles(w.dir) {
			if found, err := filepath.EvalSymlinks(f.Path); err == nil && found == name {
				return true
			}
		}
		return name == w.dir || len(name) < len(w.dir)
	}
	base := filepath.Base(name)
	return base == SettingsFile || base == TOMLFile
}
