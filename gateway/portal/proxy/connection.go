package proxy

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"betcode/gateway/portal/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

const (
	ackPatience   = 10 * time.Second // for RegisterAck
	dialPatience  = 30 * time.Second
	callPatience  = 10 * time.Second // for one call of the daemon, or of git
	writePatience = 30 * time.Second // for a backend that does not read
	silence       = 15 * time.Second // of a backend of G2 or G3, which answers each second
	pingEvery     = 15 * time.Second // to one of G1
	heartbeat     = time.Second
	// maxQueue bounds the frames that wait to be written; a backend that makes more than that and reads
	// nothing is not read.
	maxQueue = 1024

	framesASecond = 2000 // pieces of an upload have 1 KiB
	framesAtOnce  = 8000
)

// connection is the shell of a [link]: its socket, its goroutines and its clocks.
type connection struct {
	*Proxy
	link   *link
	found  Session
	socket Socket
	talk   Conversation // nil before the backend has registered the session
	queue  [][]byte     // frames to be written
	frames chan []byte
	writes chan []byte
	broken chan error
	branch chan string
	beside sync.WaitGroup
	end    *outcome

	ignored bool // a frame was, which is logged once
}

// connect serves one connection. It reports how that ended, and whether the backend registered the session.
func (p *Proxy) connect(ctx context.Context) (end outcome, registered bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	asked, done := context.WithTimeout(ctx, callPatience)
	found, err := p.Daemon.Show(asked)
	done()
	switch {
	case errors.Is(err, ErrNotFound):
		return outcome{err: messages.Errorf(opRegister, messages.NotFound, "there is no session %s", p.Session), final: true}, false
	case err != nil:
		return outcome{err: err}, false
	}
	if found.Head < p.saved.After { // it was restored from a backup
		p.saved.restore("", found.Head)
		if err := p.save(p.saved); err != nil {
			return outcome{err: err, final: true}, false
		}
	}
	dialed, done := context.WithTimeout(ctx, dialPatience)
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

// close ends everything that belongs to the connection.
func (c *connection) close(cancel context.CancelFunc) {
	cancel()
	c.socket.Close()
	c.beside.Wait()
	if c.talk != nil {
		c.talk.Close()
	}
}

// serve is the only goroutine that touches the link.
func (c *connection) serve(ctx context.Context) {
	acked := time.NewTimer(ackPatience)
	defer acked.Stop()
	second := time.NewTicker(heartbeat)
	defer second.Stop()
	heard := time.Now()
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
			events = c.talk.Events() // one line after the other: a slow backend holds the stream up
		}
		select {
		case <-ctx.Done():
			c.end = &outcome{err: ctx.Err()}
		case err := <-c.broken:
			c.end = &outcome{err: err}
		case <-acked.C:
			if !c.link.registered {
				c.end = &outcome{err: messages.Errorf(opRegister, messages.DeadlineExceeded, "the portal does not answer within %s", ackPatience)}
			}
		case frame := <-frames:
			heard = time.Now()
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
				heard = now // it is this side that does not listen
			}
			if c.Dialect > wire.G1 && c.link.registered && now.Sub(heard) > silence {
				c.end = &outcome{err: messages.Errorf(opRegister, messages.DeadlineExceeded, "the portal has been silent for %s", silence)}
				break
			}
			c.perform(ctx, c.link.tick())
		}
	}
}

// talkEnded tells why the session cannot be followed any more.
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

// decode applies a frame of the backend. One that cannot be read is no reason to end: the reference
// ignores it as well.
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

// perform carries effects out, in order.
func (c *connection) perform(ctx context.Context, effects []effect) {
	for _, e := range effects {
		if c.end != nil {
			return
		}
		switch e := e.(type) {
		case say:
			c.say(e.Message)
		case ask:
			if c.talk != nil {
				c.talk.Send(e.AgentRequest)
			}
		case save:
			c.link.dirty = false
			if err := c.save(c.link.saved); err != nil {
				c.end = &outcome{err: err, final: true}
			}
		case open:
			c.opened()
		case lookUp:
			c.beside.Go(func() {
				name := c.lookUp(ctx, c.found.Directory)
				select {
				case c.branch <- name:
				case <-ctx.Done():
				}
			})
		case keep:
			path, err := c.Keep(e.name, e.data)
			c.perform(ctx, c.link.kept(e, path, err))
		case terminate:
			c.end = c.terminated(ctx, e.reason)
		case leave:
			c.end = &e.outcome
		default:
			panic(fmt.Sprintf("proxy: unknown effect %T", e))
		}
	}
}

// opened attaches to the session: the backend has registered it.
func (c *connection) opened() {
	c.Logger.Info().Bool("resuming", c.before).Uint64("after", c.link.saved.After).Uint64("acked", c.link.saved.Acked).Msg("session registered at the portal")
	if c.Registered != nil {
		if err := c.Registered(); err != nil {
			c.end = &outcome{err: err, final: true}
			return
		}
		c.Registered = nil
	}
	c.before = true
	c.talk = c.Daemon.Converse(c.link.saved.After)
}

// terminated obeys the backend: the session ends there for good.
func (c *connection) terminated(ctx context.Context, reason string) *outcome {
	c.Logger.Warn().Str("reason", reason).Bool("stop", !c.Detach && !c.ReadOnly).Msg("the portal terminates the session")
	if c.Detach || c.ReadOnly {
		return &outcome{final: true}
	}
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	return &outcome{err: c.Daemon.Stop(ctx), final: true}
}

func (c *connection) say(m wire.Message) {
	frame, err := wire.Encode(c.Dialect, wire.FromProxy, m)
	if err != nil {
		c.Logger.Error().Err(err).Msg("frame not sent")
		return
	}
	c.queue = append(c.queue, frame)
}

func (p *Proxy) lookUp(ctx context.Context, directory string) string {
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	return clip(p.Branch(ctx, directory), maxName)
}

// read reads frames until the connection ends.
func (c *connection) read(ctx context.Context) {
	limit := rate.NewLimiter(framesASecond, framesAtOnce)
	for limit.Wait(ctx) == nil {
		frame, err := c.socket.Read(ctx)
		if err != nil {
			c.broken <- fmt.Errorf("read from the portal: %w", err)
			return
		}
		select {
		case c.frames <- frame:
		case <-ctx.Done():
			return
		}
	}
}

// write writes frames until the connection ends.
func (c *connection) write(ctx context.Context) {
	for {
		select {
		case frame := <-c.writes:
			timed, cancel := context.WithTimeout(ctx, writePatience)
			err := c.socket.Write(timed, frame)
			cancel()
			if err != nil {
				c.broken <- fmt.Errorf("write to the portal: %w", err)
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// ping finds connections that are half open: a backend of G1 says nothing by itself.
func (c *connection) ping(ctx context.Context) {
	for {
		select {
		case <-time.After(pingEvery):
		case <-ctx.Done():
			return
		}
		timed, cancel := context.WithTimeout(ctx, writePatience)
		err := c.socket.Ping(timed)
		cancel()
		if err != nil {
			c.broken <- fmt.Errorf("ping the portal: %w", err)
			return
		}
	}
}
