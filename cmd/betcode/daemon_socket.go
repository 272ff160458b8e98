package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"betcode/cmd/betcode/internal/local"
	"betcode/messages"
)

// socketLook is how often the daemon looks whether its socket's file is there. The
// call takes about a microsecond, and a deleted socket locks everybody out.
const socketLook = time.Second

// socketWatch makes the socket again when its file was deleted. Connections that
// were made before go on.
type socketWatch struct {
	daemon *daemon
	serve  func(net.Listener) error // until the listener is closed
	ended  func(error)              // the listener that is in use has failed

	mu      sync.Mutex
	current net.Listener
	trouble string // told last
}

// serveSocket serves on the daemon's listener, and on its successors, until stop is
// called.
func (d *daemon) serveSocket(ctx context.Context, serve func(net.Listener) error, ended func(error)) (stop func()) {
	w := &socketWatch{daemon: d, serve: serve, ended: ended, current: d.listener}
	go w.run(d.listener)
	if local.IsPipe(d.cfg.SocketPath) {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(socketLook)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				w.look()
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { cancel(); <-done }
}

// run serves on one listener. The end of one that was replaced is of no interest.
func (w *socketWatch) run(l net.Listener) {
	err := w.serve(l)
	w.mu.Lock()
	current := w.current == l
	w.mu.Unlock()
	if current {
		w.ended(err)
	}
}

// look compares the socket's file with the one that was made.
func (w *socketWatch) look() {
	d := w.daemon
	now, err := os.Lstat(d.cfg.SocketPath)
	switch {
	case err == nil && os.SameFile(d.socket, now):
		w.tell(nil)
	case err == nil:
		w.tell(fmt.Errorf("another file has taken its place at %s", d.cfg.SocketPath))
	case errors.Is(err, fs.ErrNotExist):
		w.tell(w.again())
	default:
		w.tell(err)
	}
}

// again makes the socket, and its directory, and goes on there.
func (w *socketWatch) again() error {
	d := w.daemon
	if err := os.MkdirAll(filepath.Dir(d.cfg.SocketPath), 0o700); err != nil {
		return err
	}
	former := w.current
	if err := d.listenSocket(); err != nil {
		return err
	}
	w.mu.Lock()
	w.current = d.listener
	w.mu.Unlock()
	former.Close()
	go w.run(d.listener)
	d.log.Warn().Str("socket", d.cfg.SocketPath).Msg("the socket's file was deleted: made again")
	return nil
}

// tell reports to the log and to health when something changes.
func (w *socketWatch) tell(trouble error) {
	text := ""
	if trouble != nil {
		text = trouble.Error()
	}
	if text == w.trouble {
		return
	}
	w.trouble = text
	d := w.daemon
	component := messages.ComponentHealth{Name: "socket", Serving: trouble == nil, Message: d.cfg.SocketPath}
	if trouble != nil {
		component.Message, component.State, component.Reason = text, "socket_gone", "The daemon's socket cannot be made again"
		component.Impact = "No new client of this machine can connect; 'betcode daemon restart' ends this daemon by its lock file"
		d.log.Error().Err(trouble).Str("socket", d.cfg.SocketPath).Msg("the socket's file is gone")
	}
	d.components.tell(component)
}
