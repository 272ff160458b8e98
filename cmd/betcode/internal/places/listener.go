package places

import (
	"net"
	"sync"

	"golang.org/x/time/rate"
)

// Listener assigns a place to each TCP connection.
type Listener struct {
	net.Listener
	places  *Places
	free    int
	work    *rate.Limiter // of all newcomers
	evicted func(from string)
}

// Listen returns a listener that assigns places to the connections of l. It calls evicted
// with the address of each connection that it closed for another one.
func Listen(l net.Listener, limits Limits, evicted func(from string)) *Listener {
	return &Listener{Listener: l, places: New(limits), free: limits.Work.Free, work: limits.Work.shared(), evicted: evicted}
}

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &bounded{Conn: conn, may: allowance{shared: l.work, free: l.free, known: make(chan struct{}), gone: make(chan struct{})}}
	address := conn.RemoteAddr().(*net.TCPAddr).AddrPort()
	c.place = l.places.Enter(address.Addr(), func() {
		c.may.ended()
		conn.Close() // its server gets an error and closes it as well
		l.evicted(address.String())
	})
	return c, nil
}

// bounded is a connection that releases its place when it is closed.
type bounded struct {
	net.Conn
	place *Place
	may   allowance
	once  sync.Once
}

// Read implements net.Conn within the limits of [Work].
func (c *bounded) Read(b []byte) (int, error) { return c.may.read(c.Conn, b) }

// Introduce implements grpcapi.Introducer.
func (c *bounded) Introduce() bool {
	if !c.place.Introduce() {
		return false
	}
	c.may.introduced()
	return true
}

// Close implements net.Conn.
func (c *bounded) Close() error {
	c.once.Do(func() {
		c.place.Leave()
		c.may.ended()
	})
	return c.Conn.Close()
}
