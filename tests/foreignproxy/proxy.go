package foreignproxy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// The ends of [Proxy.Run].
var (
	// ErrTerminated is the end by a SessionTerminated. The real ones exit with code 0.
	ErrTerminated = errors.New("the session was terminated")
	// ErrRefused is the end of G3 by a refusal that is not retryable.
	ErrRefused = errors.New("the registration was refused")
	// ErrCrashed is the end of the session by a fault of the generation.
	ErrCrashed = errors.New("the proxy's session ended")
)

// Proxy is one proxy with its agent.
type Proxy struct {
	o      Options
	second time.Duration
	agents sync.WaitGroup // goroutines of the agent

	mu      sync.Mutex // of the following
	changed chan struct{}
	seen    Seen
	state   State
	saved   State
	waiting string // the newest permission request
	crash   error  // why the session has ended
	current *connection

	jobs chan func(Agent, *Proxy)
}

// New returns a proxy that does not run yet.
func New(o Options) *Proxy {
	p := &Proxy{o: o, second: o.Second, changed: make(chan struct{}), state: clone(o.State), saved: clone(o.State), jobs: make(chan func(Agent, *Proxy), 4096)}
	if p.second == 0 {
		p.second = time.Second
	}
	if p.o.Backoff == 0 {
		p.o.Backoff = p.second
	}
	if p.o.Log == nil {
		p.o.Log = func(string, ...any) {}
	}
	p.seen.Acked, p.seen.Pending = o.State.LastAck, len(o.State.Pending)
	return p
}

func clone(s State) State {
	s.Pending = slices.Clone(s.Pending)
	return s
}

// Session returns the id of the session.
func (p *Proxy) Session() string { return p.o.Session }

// Run connects, and connects again, until ctx ends or the proxy does.
func (p *Proxy) Run(ctx context.Context) error {
	err := p.run(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen.Ended = err
	p.change()
	return err
}

func (p *Proxy) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer p.agents.Wait()
	defer cancel()
	p.agents.Go(func() { p.agent(ctx) })
	backoff := time.Duration(1)
	for again := false; ; again = true {
		began := time.Now()
		delay, err := p.connect(ctx, again)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return err
		}
		if time.Since(began) > 30*p.second {
			backoff = 1
		}
		pause := backoff * p.o.Backoff
		backoff = min(2*backoff, 30)
		if delay > 0 {
			pause, backoff = delay, 1
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// agent runs the agent.
func (p *Proxy) agent(ctx context.Context) {
	if p.o.Agent == nil {
		return
	}
	if err := p.o.Agent.Start(ctx, p); err != nil {
		p.mu.Lock()
		p.fail(err)
		p.mu.Unlock()
		return
	}
	for {
		select {
		case job := <-p.jobs:
			job(p.o.Agent, p)
		case <-ctx.Done():
			return
		}
	}
}

// work queues a job for the agent.
func (p *Proxy) work(job func(Agent, *Proxy)) {
	if p.o.Agent == nil {
		return
	}
	select {
	case p.jobs <- job:
	default:
		p.fail(errors.New("the agent has too much to do"))
	}
}

// Disconnect breaks the present connection.
func (p *Proxy) Disconnect() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current != nil {
		p.current.leave()
	}
}

// State returns the content of the proxy's file.
func (p *Proxy) State() State {
	p.mu.Lock()
	defer p.mu.Unlock()
	return clone(p.saved)
}

// Pending returns the lines that are not acknowledged, also those that are not in the file.
func (p *Proxy) Pending() []Line {
	p.mu.Lock()
	defer p.mu.Unlock()
	return clone(p.state).Pending
}

// Seen returns the events so far.
func (p *Proxy) Seen() Seen {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.look()
}

func (p *Proxy) look() Seen {
	s := p.seen
	s.Refused, s.Inputs, s.Answers = slices.Clone(s.Refused), slices.Clone(s.Inputs), slices.Clone(s.Answers)
	s.Broken, s.Closes, s.Pending = slices.Clone(s.Broken), slices.Clone(s.Closes), len(p.state.Pending)
	return s
}

// Until waits until done returns true or the proxy ends.
func (p *Proxy) Until(ctx context.Context, what string, done func(Seen) bool) error {
	for {
		p.mu.Lock()
		s, changed := p.look(), p.changed
		p.mu.Unlock()
		switch {
		case done(s):
			return nil
		case s.Ended != nil:
			return fmt.Errorf("wait until %s: the proxy has ended: %w; seen %+v", what, s.Ended, s)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait until %s: %w; seen %+v", what, ctx.Err(), s)
		}
	}
}

// change wakes those who wait. The caller holds mu.
func (p *Proxy) change() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// fail ends the session of the proxy. The caller holds mu.
func (p *Proxy) fail(err error) {
	if p.crash == nil {
		p.crash = fmt.Errorf("%w: %w", ErrCrashed, err)
	}
	if p.current != nil {
		p.current.leave()
	}
	p.change()
}
