package socket

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

const (
	// cleanUpTimeout bounds stopping the session of a client that has left, while no daemon answers.
	cleanUpTimeout = 30 * time.Second
	endTimeout     = 5 * time.Second // the same, when the gateway ends
	cleanUpRetry   = time.Second
	// farewellTimeout bounds the last lines to a client when the gateway ends.
	farewellTimeout = time.Second
	// hangUpPoll is how often the gateway checks whether a half-closed client has disconnected.
	hangUpPoll = 200 * time.Millisecond
)

// connection is one client.
type connection struct {
	server *Server
	client string // its id at the daemon
	conn   net.Conn
	raw    net.Conn // connection below conn, with the descriptor
	daemon Daemon
	log    zerolog.Logger

	writing sync.Mutex
	broken  bool // a write has failed

	sessions map[ref]*session // guarded by the server
	cleanUps sync.WaitGroup
}

// serve handles the lines of the client in order, until it leaves or ctx ends.
func (c *connection) serve(ctx context.Context) {
	in := newLines(c.conn)
	for {
		line, err := in.next()
		switch {
		case errors.Is(err, errLongLine):
			c.write(failure(noRef, err.Error()))
			continue
		case err != nil:
			c.finish(ctx)
			c.leave(ctx)
			return
		}
		id, request, err := decode(line)
		if err != nil {
			c.write(failure(id, err.Error()))
			continue
		}
		c.handle(ctx, id, request)
	}
}

// finish serves a half-closed client, which may still read. It sends running turns to their end,
// except those that wait for an answer, which cannot arrive.
func (c *connection) finish(ctx context.Context) {
	tick := time.NewTicker(hangUpPoll)
	defer tick.Stop()
	for c.working() && !hungUp(c.raw) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (c *connection) working() bool {
	c.writing.Lock()
	broken := c.broken
	c.writing.Unlock()
	if broken {
		return false
	}
	for _, s := range c.all() {
		if s.working() {
			return true
		}
	}
	return false
}

// leave stops the sessions of the client, or leaves them running if Options.Keep is set.
func (c *connection) leave(ctx context.Context) {
	ends, timeout := ctx.Err() != nil, endTimeout
	if !ends {
		c.conn.Close() // the client does not read, and writers must not block
		timeout = cleanUpTimeout
	}
	for _, s := range c.all() {
		if c.server.options.Keep || !s.owner {
			continue
		}
		var last any
		if ends {
			last = status(s.id, statusClosed)
		}
		c.close(s, last, timeout)
	}
	c.conn.Close()
	for _, s := range c.all() {
		c.release(s)
		s.detach()
	}
	c.cleanUps.Wait()
	if err := c.daemon.Close(); err != nil {
		c.log.Debug().Err(err).Msg("connection to the daemon closed")
	}
}

// close ends a session: it denies waiting requests and stops the agent, if a daemon answers within timeout.
func (c *connection) close(s *session, last any, timeout time.Duration) {
	waiting := s.end(last)
	c.release(s)
	stopped := c.server.stops(s.conversation.Session())
	c.cleanUps.Go(func() {
		defer stopped()
		defer s.detach()
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		for {
			err := c.stop(ctx, s.conversation.Session(), waiting)
			if err == nil || ctx.Err() != nil {
				c.log.Info().Err(err).Str("session_id", s.conversation.Session()).Msg("session of a client is closed")
				return
			}
			select {
			case <-time.After(cleanUpRetry):
			case <-ctx.Done():
			}
		}
	})
}

func (c *connection) stop(ctx context.Context, session string, waiting []string) error {
	for _, request := range waiting {
		if err := c.daemon.Deny(ctx, session, request, sessionClosed); err != nil {
			return err
		}
	}
	return c.daemon.Stop(ctx, session)
}

// write sends lines to the client.
func (c *connection) write(all ...any) {
	var out []byte
	for _, line := range all {
		out = encode(out, line)
	}
	c.writeRaw(out)
}

// writeRaw sends whole lines. It blocks until the client has room. After a failed write it also ends the reader.
func (c *connection) writeRaw(out []byte) {
	if len(out) == 0 {
		return
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.broken {
		return
	}
	if _, err := c.conn.Write(out); err != nil {
		c.broken = true
		c.conn.Close()
	}
}
