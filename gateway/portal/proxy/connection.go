package proxy

import (
	"context"
	"errors"
	"sync"
	"time"

	"betcode/gateway/portal/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

const (
	ackTimeout    = 10 * time.Second // for RegisterAck
	dialTimeout   = 30 * time.Second
	daemonTimeout = 10 * time.Second // for one call to the daemon, or to git
	writeTimeout  = 30 * time.Second // for a backend that does not read
	silence       = 15 * time.Second // of a backend of G2 or G3, which answers heartbeats every second
	pingEvery     = 15 * time.Second // of a backend of G1
	heartbeat     = time.Second
	// maxQueue bounds the frames that wait to be written. When it is full, the backend is not read.
	maxQueue = 1024

	framesASecond = 2000 // pieces of an upload have 1 KiB
	framesAtOnce  = 8000
)

// connection does the I/O of a [link]: it has the socket, the goroutines and the timers.
type connection struct {
	*Proxy
	link   *link
	found  Session
	socket Socket
	talk   Conversation // nil until the backend has registered the session
	queue  [][]byte     // frames to write
	frames chan []byte
	writes chan []byte
	broken chan error
	branch chan string
	beside sync.WaitGroup
	end    *outcome

	ignored bool // a frame was ignored, which is logged once
}

// connect serves one connection. It returns its outcome, and whether the backend registered the session.
func (p *Proxy) connect(ctx context.Context) (end outcome, registered bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	asked, done := context.WithTimeout(ctx, daemonTimeout)
	found, err := p.Daemon.Show(asked)
	done()
	switch {
	case errors.Is(err, ErrNotFound):
		return outcome{err: messages.Errorf(opRegister, messages.NotFound, "there is no session %s", p.Session), final: true}, false
	case err != nil:
		return outcome{err: err}, false
	}
	if found.Head < p.saved.After { // the journal was restored from a backup
		p.saved.restore("", found.Head)
		if err := p.save(p.saved); err != nil {
			return outcome{err: err, final: true}, false
		}
	}
	dialed, done := context.WithTimeout(ctx, dialTimeout)
	socket, err := p.Dial(dialed)
	done()
	if err != nil {
		return outcome{err: err}, false
	}
	c := &connection{
		Proxy: p, found: found, socket: socket, frames: make(chan []byte), writes: make(chan []byte), broken: make(chan error, 4), branch: make(chan string, 1),
		link: newLink(p.Config, p.saved, found),
	}
	defer c.close(cancel)
	c.beside.Go(func() { c.read(ctx) })
	c.beside.Go(func() { c.write(ctx) })
	if p.Dialect == wire.G1 {
		c.beside.Go(func() { c.ping(ctx) })
	}
	name := p.lookUp(ctx, found.Directory)
	c.link.branch = name
	c.perform(ctx, []effect{say{p.register(found, name)}})
	c.serve(ctx)
	if c.link.registered && c.link.dirty {
		if err := p.save(c.link.saved); err != nil {
			c.end = &outcome{err: err, final: true}
		}
	}
	return *c.end, c.link.registered
}

// close ends the connection and its goroutines.
func (c *connection) close(cancel context.CancelFunc) {
	cancel()
	c.socket.Close()
	c.beside.Wait()
	if c.talk != nil {
		c.talk.Close()
	}
}

// serve is the event loop. Only it accesses the link.
func (c *connection) serve(ctx context.Context) {
	acked := time.NewTimer(ackTimeout)
	defer acked.Stop()
	second := time.NewTicker(heartbeat)
	defer second.Stop()
	lastFrame := time.Now()
	for c.end == nil {
		frames, writes := c.frames, (chan []byte)(nil)
		var events <-chan *pb.AgentEvent
		var first []byte
		if c.link.full() || len(c.queue) >= maxQueue {
			frames = nil
		}
		switch {
		case len(c.queue) > 0:
			writes, first = c.writes, c.queue[0]
		case c.talk != nil:
			events = c.talk.Events() // only while the queue is short: a slow backend stops the stream of events
		}
		select {
		case <-ctx.Done():
			c.end = &outcome{err: ctx.Err()}
		case err := <-c.broken:
			c.end = &outcome{err: err}
		case <-acked.C:
			if !c.link.registered {
				c.end = &outcome{err: messages.Errorf(opRegister, messages.DeadlineExceeded, "the portal did not answer within %s", ackTimeout)}
			}
		case frame := <-frames:
			lastFrame = time.Now()
			c.decode(ctx, frame)
		case writes <- first:
			c.queue = c.queue[1:]
		case e, ok := <-events:
			if !ok {
				c.talkEnded()
				break
			}
			c.perform(ctx, c.link.event(e))
		case name := <-c.branch:
			c.perform(ctx, c.link.branchIs(name))
		case now := <-second.C:
			if frames == nil {
				lastFrame = now // this side has not read
			}
			if c.Dialect > wire.G1 && c.link.registered && now.Sub(lastFrame) > silence {
				c.end = &outcome{err: messages.Errorf(opRegister, messages.DeadlineExceeded, "the portal has been silent for %s", silence)}
				break
			}
			c.perform(ctx, c.link.tick())
		}
	}
}

// talkEnded sets the outcome after the conversation has ended.
func (c *connection) talkEnded() {
	switch err := c.talk.Err(); {
	case errors.Is(err, ErrNotFound):
		c.end = &outcome{err: messages.Errorf(opRegister, messages.NotFound, "session %s was deleted", c.Session), final: true}
	case errors.Is(err, ErrRestored):
		c.end = &outcome{err: err, now: true}
	case err != nil:
		c.end = &outcome{err: err}
	default:
		c.end = &outcome{err: messages.Errorf(opRegister, messages.Unavailable, "the daemon has closed the session's stream")}
	}
}

// decode applies a frame of the backend. Like the reference, it ignores an invalid frame.
func (c *connection) decode(ctx context.Context, frame []byte) {
	m, err := wire.Decode(wire.ToProxy, frame)
	if err != nil {
		if !c.ignored {
			c.Logger.Warn().Err(err).Msg("frame of the portal ignored; more on this connection are not logged")
		}
		c.ignored = true
		return
	}
	c.perform(ctx, c.link.frame(m))
}
