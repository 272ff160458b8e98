package places

import (
	"context"
	"sync"
)

// Places bounds the concurrent users of one resource. It is safe for concurrent use.
type Places struct {
	most int

	mu    sync.Mutex
	taken map[string]int // by caller
	all   int
	freed chan struct{} // closed when a place becomes free; nil while no caller waits
}

// New returns most free places.
func New(most int) *Places { return &Places{most: most, taken: map[string]int{}} }

// Take takes a place for a caller, and reports whether there was one. The caller must call leave once.
func (p *Places) Take(caller string) (leave func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.take(caller)
}

// Wait takes a place for a caller when one is free, or returns the cause of the end of ctx.
func (p *Places) Wait(ctx context.Context, caller string) (leave func(), err error) {
	for {
		p.mu.Lock()
		if leave, ok := p.take(caller); ok {
			p.mu.Unlock()
			return leave, nil
		}
		if p.freed == nil {
			p.freed = make(chan struct{})
		}
		freed := p.freed
		p.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Taken returns how many places are taken.
func (p *Places) Taken() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all
}

// take takes a place, unless the caller would then have more places than are free.
func (p *Places) take(caller string) (leave func(), ok bool) {
	if p.taken[caller] >= p.most-p.all {
		return nil, false
	}
	p.taken[caller]++
	p.all++
	return func() { p.leave(caller) }, true
}

func (p *Places) leave(caller string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all--
	if p.taken[caller]--; p.taken[caller] == 0 {
		delete(p.taken, caller)
	}
	if p.freed != nil {
		close(p.freed)
		p.freed = nil
	}
}
