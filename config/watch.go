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

// settle is how long files must be left alone before they are read: editors write in
// several steps.
const settle = 200 * time.Millisecond

// Watch calls a function, from one goroutine, whenever the user's settings files in
// a directory may have changed, until ctx ends. The directory need not be there yet.
// What links lead to is watched too. It returns when it watches; stopped is closed
// when the function will not be called again.
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

// arm watches the directories where something may happen: that of the files, or the
// nearest above it that is there, and those that links lead to. Files are not
// watched themselves: they are replaced.
func (w *watch) arm() error {
	dir := w.dir
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			break
		}
		if dir == filepath.Dir(dir) {
			return fmt.Errorf("there is nothing above %s", w.dir)
		}
		dir = filepath.Dir(dir)
	}
	if err := w.fs.Add(dir); err != nil {
		return err
	}
	for _, f := range userFiles(w.dir) {
		if found, err := filepath.EvalSymlinks(f.Path); err == nil && found != f.Path {
			_ = w.fs.Add(filepath.Dir(found)) // else the link itself is seen when it is replaced
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
		case _, ok := <-w.fs.Errors: // events were lost: better once too often
			if !ok {
				return
			}
			quiet.Reset(settle)
		case <-quiet.C:
			if w.arm() != nil { // the next event tries again
				continue
			}
			changed()
		}
	}
}

// concerns leaves out the files beside the settings: the socket, the lock, and what
// is being written.
func (w *watch) concerns(name string) bool {
	if filepath.Dir(name) != w.dir { // above it, or where a link leads
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
