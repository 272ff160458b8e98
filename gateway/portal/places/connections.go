package places

import (
	"net"
	"net/http"
	"sync"
)

// Connections bounds the connections of an HTTP server. Its method State is the server's ConnState. It is safe for
// concurrent use.
type Connections struct {
	most int

	mu  sync.Mutex
	all []connection // oldest first
}

type connection struct {
	net.Conn
	address string
}

// Bound returns Connections with a bound.
func Bound(most int) *Connections { return &Connections{most: most} }

// State records the state of a connection. A connection above the bound closes another one.
func (c *Connections) State(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		if victim := c.add(conn); victim != nil {
			if secured, ok := victim.(interface{ NetConn() net.Conn }); ok {
				victim = secured.NetConn() // closing the TLS connection would wait for the peer
			}
			_ = victim.Close() // its server then reports StateClosed
		}
	case http.StateHijacked, http.StateClosed:
		c.remove(conn)
	case http.StateActive, http.StateIdle:
	}
}

func (c *Connections) add(conn net.Conn) (victim net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, connection{conn, hostOf(conn)})
	if len(c.all) <= c.most {
		return nil
	}
	counts, busiest := map[string]int{}, ""
	for _, k := range c.all {
		if counts[k.address]++; counts[k.address] > counts[busiest] {
			busiest = k.address
		}
	}
	for i, k := range c.all {
		if k.address == busiest {
			victim = k.Conn
			c.all = append(c.all[:i:i], c.all[i+1:]...)
			break
		}
	}
	return victim
}

func (c *Connections) remove(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, k := range c.all {
		if k.Conn == conn {
			c.all = append(c.all[:i:i], c.all[i+1:]...)
			return
		}
	}
}

// hostOf returns the address of the other end without its port.
func hostOf(conn net.Conn) string {
	text := conn.RemoteAddr().String()
	if host, _, err := net.SplitHostPort(text); err == nil {
		return host
	}
	return text
}
