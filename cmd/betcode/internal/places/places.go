// Package places limits the daemon's TCP connections.
//
// Any host that reaches the port can connect without a token. A connection is a newcomer
// until a call with a valid token arrives over it, and there are few places for newcomers.
// When they are full, a new connection evicts the oldest newcomer of the address that has
// the most. So a flood of silent connections neither keeps out a client with a token nor
// evicts one.
package places

import (
	"net/netip"
	"sync"
)

// Limits are the largest numbers of connections.
type Limits struct {
	Known     int // with a valid token
	Address   int // of one address, with a valid token
	Newcomers int // without a token yet
	Strangers int // newcomers of one address
	Work      Work
}

// Places holds the places of one listener. It is safe for concurrent use.
type Places struct {
	limits Limits

	mu        sync.Mutex
	newcomers []*Place // the oldest first
	known     map[netip.Addr]int
	all       int // number of known connections
}

// Place is the place of one connection.
type Place struct {
	places  *Places
	address netip.Addr
	leave   func()

	known, gone bool // guarded by places.mu
}

// New returns empty places.
func New(l Limits) *Places { return &Places{limits: l, known: map[netip.Addr]int{}} }

// Enter assigns a place to a newcomer. It evicts another newcomer if there is no room.
// evict is called at most once, without a lock, when another newcomer gets the place; the
// evicted connection calls [Place.Leave] as well.
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

// victim returns the newcomer to evict for one of an address; nil if there is room.
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

// Introduce makes a newcomer known, because it has shown a valid token. It returns false,
// and the connection stays a newcomer, if there is no room for another known one.
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

// Leave releases the place. It may be called more than once.
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

// remove removes a newcomer from the list.
func (p *Places) remove(l *Place) {
	for i, n := range p.newcomers {
		if n == l {
			p.newcomers = append(p.newcomers[:i:i], p.newcomers[i+1:]...)
			break
		}
	}
	l.gone = true
}

// Count returns the numbers of known connections and of newcomers.
func (p *Places) Count() (known, newcomers int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all, len(p.newcomers)
}
