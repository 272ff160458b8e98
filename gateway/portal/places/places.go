package places

import (
	"context"
	"sync"
)

// Places are the places for one kind of thing. It is safe for concurrent use.
type Places struct {
	most int

	mu    sync.Mutex
	taken map[string]int // by caller
	all   int
	freed chan struct{} // closed when a place becomes free; nil while no caller waits
}

// New returns so many places, all of them free.
func New(most int) *Places { return &Places{most: most, taken: map[string]int{}} }

// Take takes a place for a caller; false if there is none. The caller leaves it once.
func (p *Places) Take(caller string) (leave func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.take(caller)
}

// Wait takes a place for a caller as soon as there is one, or returns why ctx has ended.
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

// take takes a place, unless the caller would have more than are left.
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
