// Package places decides who has a place among the daemon's connections over TCP.
//
// Every caller that reaches the port may connect before it has shown a token. So a
// connection is a newcomer until a call with a token that counts has come over it, and
// newcomers have few places: a further one takes the place of the oldest newcomer of the
// address that has most of them. However many connect and stay silent, the next caller
// with a token gets in, and nobody who has shown one is put out.
package places

import (
	"net/netip"
	"sync"
)

// Limits say how many connections there may be.
type Limits struct {
	Known     int // that have shown a token
	Address   int // of one address among them
	Newcomers int // that have not
	Strangers int // newcomers of one address
	Work      Work
}

// Places are the places of one listener. It may be used by many goroutines.
type Places struct {
	limits Limits

	mu        sync.Mutex
	newcomers []*Place // the oldest first
	known     map[netip.Addr]int
	all       int // that are known
}

// Place is that of one connection.
type Place struct {
	places  *Places
	address netip.Addr
	leave   func()

	known, gone bool // guarded by places.mu
}

// New has nobody yet.
func New(l Limits) *Places { return &Places{limits: l, known: map[netip.Addr]int{}} }

// Enter gives a newcomer a place. evict is called, at most once and without a lock, when
// the place is taken by another; who was put out is to leave as well.
func (p *Places) Enter(address netip.Addr, evict func()) *Place {
	place := &Place{places: p, address: address.Unmap(), leave: evict}
	p.mu.Lock()
	victim := p.victim(place.address)
	if victim != nil {
		p.remove(victim)
	}
	p.newcomers = append(p.newcomers, place)
	p.mu.Unlock()
	if victim != nil {
		victim.leave()
	}
	return place
}

// victim is who has to go for a newcomer of an address, nil if there is room.
func (p *Places) victim(address netip.Addr) *Place {
	counts := map[netip.Addr]int{}
	for _, n := range p.newcomers {
		counts[n.address]++
	}
	from := address
	switch {
	case counts[address] >= p.limits.Strangers:
	case len(p.newcomers) >= p.limits.Newcomers:
		for _, n := range p.newcomers {
			if counts[n.address] > counts[from] {
				from = n.address
			}
		}
		if counts[from] == 0 {
			from = p.newcomers[0].address
		}
	default:
		return nil
	}
	for _, n := range p.newcomers {
		if n.address == from {
			return n
		}
	}
	return nil
}

// Introduce has a newcomer count as known: it has shown a token. It reports whether
// there is room for that; without, the connection stays a newcomer.
func (l *Place) Introduce() bool {
	p := l.places
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case l.known:
		return true
	case l.gone, p.all >= p.limits.Known, p.known[l.address] >= p.limits.Address:
		return false
	}
	p.remove(l)
	l.gone, l.known = false, true
	p.all++
	p.known[l.address]++
	return true
}

// Leave gives the place back. It may be called more than once.
func (l *Place) Leave() {
	p := l.places
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case l.gone:
	case l.known:
		l.gone, l.known = true, false
		p.all--
		if p.known[l.address]--; p.known[l.address] <= 0 {
			delete(p.known, l.address)
		}
	default:
		p.remove(l)
	}
}

// remove takes a newcomer from the list.
func (p *Places) remove(l *Place) {
	for i, n := range p.newcomers {
		if n == l {
			p.newcomers = append(p.newcomers[:i:i], p.newcomers[i+1:]...)
			break
		}
	}
	l.gone = true
}

// Count is how many connections are known, and how many newcomers there are.
func (p *Places) Count() (known, newcomers int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all, len(p.newcomers)
}
