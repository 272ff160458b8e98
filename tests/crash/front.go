package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// process is a gateway or a proxy of the project.
type process interface {
	Done() <-chan struct{}
	PID() int
	Log() string
	Stop() (int, error)
}

// front is a place for such a process: whenever one ends, the next one is started.
type front struct {
	round *round
	name  string
	start func() (process, error)
	// began reports whether a process that has ended had begun its work. One that had not may end
	// by itself, because its daemon was away.
	began func(process) bool

	mu     sync.Mutex
	now    process // nil = none
	killed bool    // it was
	starts int
}

// keep keeps a process running until ctx ends. Then the last one still runs.
func (f *front) keep(ctx context.Context) {
	for ctx.Err() == nil {
		if f.round.house.wait(ctx) == nil {
			return
		}
		p, err := f.start()
		if err != nil {
			pause(ctx, 20*time.Millisecond)
			continue
		}
		f.mu.Lock()
		f.now, f.killed, f.starts = p, false, f.starts+1
		f.mu.Unlock()
		f.round.note("%s %d serves", f.name, p.PID())
		select {
		case <-p.Done():
		case <-ctx.Done():
			return
		}
		f.ended(p)
	}
}

// ended puts away a process that has ended.
func (f *front) ended(p process) {
	f.mu.Lock()
	killed, n := f.killed, f.starts
	f.now = nil
	f.mu.Unlock()
	if !killed && f.began(p) {
		f.round.report(otherwise, "%s ended by itself:\n%s", f.name, p.Log())
	}
	f.keepLog(p, n)
}

// keepLog keeps the log of a process that has ended, and reports what must not be in it.
func (f *front) keepLog(p process, n int) {
	path := filepath.Join(f.round.world.Root, f.name+"-"+strconv.Itoa(n)+".log")
	if err := os.WriteFile(path, []byte(p.Log()), 0o600); err != nil {
		f.round.note("log not kept: %v", err)
	}
	for _, bug := range []string{"DATA RACE", "fatal error:", "panic:"} {
		if _, after, found := strings.Cut(p.Log(), bug); found {
			f.round.report(otherwise, "the log of %s has %q: %.1500s", f.name, bug, after)
		}
	}
}

// serves reports whether a process runs that was not killed.
func (f *front) serves() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now != nil && !f.killed
}

// kill ends the process by SIGKILL, without waiting for its end. It reports whether there was one.
func (f *front) kill() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now == nil || f.killed {
		return false
	}
	f.killed = true
	if p, err := os.FindProcess(f.now.PID()); err == nil {
		_ = p.Kill() // it may have ended by itself this moment
	}
	return true
}

// stop shuts the last process down.
func (f *front) stop() {
	f.mu.Lock()
	p, n := f.now, f.starts
	f.now, f.killed = nil, true
	f.mu.Unlock()
	if p == nil {
		return
	}
	if code, err := p.Stop(); err != nil || code != 0 {
		f.round.report(otherwise, "%s stops with exit code %d: %v\n%s", f.name, code, err, p.Log())
	}
	f.keepLog(p, n)
}
