package places

import (
	"net"
	"sync"
)

// Listener gives each connection over TCP a place.
type Listener struct {
	net.Listener
	places  *Places
	evicted func(from string)
}

// Listen gives the connections of l places. evicted hears the address of each that was
// closed for another.
func Listen(l net.Listener, limits Limits, evicted func(from string)) *Listener {
	return &Listener{Listener: l, places: New(limits), evicted: evicted}
}

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &bounded{Conn: conn}
	address := conn.RemoteAddr().(*net.TCPAddr).AddrPort()
	c.place = l.places.Enter(address.Addr(), func() {
		conn.Close() // its server sees the error and closes it as well
		l.evicted(address.String())
	})
	return c, nil
}

// bounded gives its place back when it is closed.
type bounded struct {
	net.Conn
	place *Place
	once  sync.Once
}

// Introduce implements grpcapi.Introducer.
func (c *bounded) Introduce() bool { return c.place.Introduce() }

// Close implements net.Conn.
func (c *bounded) Close() error {
	c.once.Do(c.place.Leave)
	return c.Conn.Close()
}
