package portal

import (
	"container/list"
	"net"
	"net/http"
	"net/netip"
	"sync"

	"golang.org/x/time/rate"
)

// maxVisitors bounds the tracked addresses; the least recently seen one is evicted.
const maxVisitors = 1024

// visitors limits the rate of requests without a login by address.
type visitors struct {
	every rate.Limit
	burst int

	mu    sync.Mutex
	order *list.List // of *visitor, most recently seen first
	known map[string]*list.Element
}

type visitor struct {
	address string
	limit   *rate.Limiter
}

func newVisitors(every rate.Limit, burst int) *visitors {
	return &visitors{every: every, burst: burst, order: list.New(), known: map[string]*list.Element{}}
}

// admit reports whether a request of an address is within its limit.
func (v *visitors) admit(address string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	e := v.known[address]
	if e == nil {
		if v.order.Len() >= maxVisitors {
			oldest := v.order.Remove(v.order.Back()).(*visitor)
			delete(v.known, oldest.address)
		}
		e = v.order.PushFront(&visitor{address, rate.NewLimiter(v.every, v.burst)})
		v.known[address] = e
	}
	v.order.MoveToFront(e)
	return e.Value.(*visitor).limit.Allow()
}

// addressOf returns the IPv4 address of a request, or the /64 network of an IPv6 address. Behind a
// proxy server it is the server's address for all visitors.
func addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	if a, err := netip.ParseAddr(host); err == nil && a.Is6() && !a.Is4In6() {
		if prefix, err := a.WithZone("").Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return host
}
