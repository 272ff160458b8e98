package host

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

// socketWatch creates the socket again when its file was deleted. Open connections stay open.
type socketWatch struct {
	daemon *daemon
	serve  func(net.Listener) error // until the listener is closed
	ended  func(error)              // called when the current listener fails

	mu       sync.Mutex
	current  net.Listener
	reported string // the last problem; empty if there is none
	pace     pace
}

// serveSocket serves on the daemon's listener and on its successors. stop ends the checks.
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
		w.watch(ctx, watchSocket(d.cfg.SocketPath, d.cfg.StateDir))
	}()
	return func() { cancel(); <-done }
}

// watch checks the socket when its directory has changed, and from time to time, until ctx ends.
func (w *socketWatch) watch(ctx context.Context, changes *socketChanges) {
	defer changes.close()
	w.check() // it may have gone before the directory was watched
	timer := time.NewTimer(w.pause(changes))
	defer timer.Stop()
	for {
		select {
		case e := <-changes.events:
			if !changes.concern(e) {
				continue
			}
		case err := <-changes.errors:
			w.daemon.log.Debug().Err(err).Msg("notices of the socket's directory lost")
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		if wait := w.pace.wait(time.Now()); wait > 0 {
			timer.Reset(wait)
			continue
		}
		w.check()
		changes.arm()
		timer.Reset(w.pause(changes))
	}
}

// pause is the time until the next check without a notice. While a problem lasts, the socket is polled: the cause may be outside
// the watched directory, such as a link in its place.
func (w *socketWatch) pause(changes *socketChanges) time.Duration {
	if w.reported != "" {
		return socketPoll
	}
	return changes.pause()
}

// run serves on one listener. The end of a replaced listener is not reported.
func (w *socketWatch) run(l net.Listener) {
	err := w.serve(l)
	w.mu.Lock()
	current := w.current == l
	w.mu.Unlock()
	if current {
		w.ended(err)
	}
}

// check compares the socket file with the one that the daemon made.
func (w *socketWatch) check() {
	d := w.daemon
	now, err := os.Lstat(d.cfg.SocketPath)
	switch {
	case err == nil && os.SameFile(d.socket, now):
		w.report(nil)
	case err == nil:
		w.report(fmt.Errorf("another file is at %s", d.cfg.SocketPath))
	case errors.Is(err, fs.ErrNotExist):
		w.report(w.listenAgain())
	default:
		w.report(err)
	}
}

// listenAgain creates the socket and its directory and serves there.
func (w *socketWatch) listenAgain() error {
	d := w.daemon
	if err := os.MkdirAll(filepath.Dir(d.cfg.SocketPath), 0o700); err != nil {
		return err
	}
	w.pace.occurred(time.Now())
	former := w.current
	if err := d.listenSocket(); err != nil {
		return err
	}
	w.mu.Lock()
	w.current = d.listener
	w.mu.Unlock()
	former.Close()
	go w.run(d.listener)
	d.log.Warn().Str("socket", d.cfg.SocketPath).Msg("socket file was deleted: made again")
	return nil
}

// report reports a new problem, or its end, to the log and to health.
func (w *socketWatch) report(problem error) {
	text := ""
	if problem != nil {
		text = problem.Error()
	}
	if text == w.reported {
		return
	}
	w.reported = text
	w.pace.occurred(time.Now())
	d := w.daemon
	component := messages.ComponentHealth{Name: "socket", Serving: problem == nil, Message: d.cfg.SocketPath}
	if problem != nil {
		component.Message, component.State, component.Reason = text, "socket_gone", "The daemon's socket cannot be made again"
		component.Impact = "No new client of this machine can connect; 'betcode daemon restart' ends this daemon by its lock file"
		d.log.Error().Err(problem).Str("socket", d.cfg.SocketPath).Msg("socket file is gone")
	}
	d.components.report(component)
}
