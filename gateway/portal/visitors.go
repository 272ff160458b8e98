package portal

import (
	"container/list"
	"net"
	"net/http"
	"net/netip"
	"sync"

	"golang.org/x/time/rate"
)

// maxVisitors bounds the addresses whose rates are known; the one that asked longest ago is forgotten.
const maxVisitors = 1024

// visitors limit how often an address asks for something without a login.
type visitors struct {
	every rate.Limit
	burst int

	mu    sync.Mutex
	order *list.List // of *visitor, the last one that asked in front
	known map[string]*list.Element
}

type visitor struct {
	address string
	limit   *rate.Limiter
}

func newVisitors(every rate.Limit, burst int) *visitors {
	return &visitors{every: every, burst: burst, order: list.New(), known: map[string]*list.Element{}}
}

// admit reports whether an address may ask now.
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

// addressOf returns the address of a request; of IPv6 the /64 that one visitor usually has. Behind a
// proxy server all visitors have that of the server.
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
