package proxies

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"
	"github.com/rs/zerolog"
	"golang.org/x/time/rate"

	"betcode/gateway/portal/wire"
	pb "betcode/proto/betcode/v1"
)

const (
	registerTimeout = 10 * time.Second
	writeTimeout    = 30 * time.Second // for a proxy that does not read
	pingEvery       = 30 * time.Second
	pongTimeout     = 25 * time.Second // so that a silent proxy is closed within a minute

	maxSecret = 4 << 10 // bytes of a token

	// restarting and comeBack are the values of ServerShutdown for proxies that should reconnect.
	restarting = "Server is restarting"
	comeBack   = 1000            // milliseconds
	farewell   = 2 * time.Second // for the last frames
)

// proxy is one connection of a proxy.
type proxy struct {
	*Server
	socket Socket
	log    zerolog.Logger
	over   context.Context // ends with the connection; its cause is a departure
	depart context.CancelCauseFunc

	link       *link
	decided    chan string   // requests whose decisions were written
	framesRead atomic.Uint64 // number of frames read
	busy       atomic.Bool   // a frame is being handled
	results    atomic.Pointer[pendingFile]

	mu         sync.Mutex // of the following
	translator translator
	ignored    map[string]bool
}

// serve serves the connection until it ends. It reports whether the proxy was admitted.
func (p *proxy) serve(ctx context.Context) (admitted bool) {
	p.over, p.depart = context.WithCancelCause(context.WithoutCancel(ctx))
	defer p.depart(errClosed)
	stop := context.AfterFunc(p.ended, func() { p.depart(errRestarting) })
	defer stop()
	m, ok := p.awaitRegister(ctx)
	if !ok {
		return false
	}
	id := "proxy-" + uuid.NewString()[:8]
	p.log = p.log.With().Str("client", id).Str("session_id", string(m.SessionID)).Stringer("dialect", m.Dialect).Logger()
	p.translator = newTranslator(m.SessionID, m.Dialect)
	if p.full() {
		p.refuse(errMany)
		return false
	}
	call, d, err := p.register(m, id)
	if err != nil {
		p.refuse(err)
		return false
	}
	defer d.Close()
	if !p.admit() { // other proxies have taken the last places meanwhile
		p.refuse(errMany)
		return false
	}
	p.carry(ctx, call)
	return true
}

// awaitRegister reads until the proxy registers. The protocol ignores frames before that.
func (p *proxy) awaitRegister(ctx context.Context) (wire.Register, bool) {
	late := time.AfterFunc(registerTimeout, func() { p.depart(errUnregistered) })
	defer late.Stop()
	stop := context.AfterFunc(p.over, func() { p.close(departureOf(context.Cause(p.over))) })
	frames := rate.NewLimiter(framesASecond, framesAtOnce)
	for frames.Wait(p.over) == nil {
		text, frame, held, err := p.socket.Read(ctx)
		if err != nil {
			break
		}
		m, err := wire.Decode(wire.FromProxy, frame)
		p.budget.free(held)
		if m, ok := m.(wire.Register); ok && text && err == nil && stop() {
			return m, true
		}
	}
	if stop() {
		p.close(errClosed)
	}
	return wire.Register{}, false
}

// register registers the proxy at the daemon. In dev mode it ignores an invalid token.
func (p *proxy) register(m wire.Register, id string) (call Call, d Daemon, err error) {
	secrets := []string{value(m.AuthToken)}
	switch {
	case secrets[0] == "" && !p.options.Dev:
		return nil, nil, ErrUnauthenticated
	case secrets[0] != "" && p.options.Dev:
		secrets = append(secrets, "")
	}
	for _, secret := range secrets {
		if len(secret) > maxSecret || strings.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			err = ErrUnauthenticated // it cannot be a secret, and the metadata of a call cannot contain it
			continue
		}
		if d, err = p.options.Connect(secret, id); err != nil {
			return nil, nil, err
		}
		var resumed bool
		p.link = newLink(d, registration(m), p.budget.free)
		if call, resumed, err = p.link.open(p.over); err == nil {
			p.log.Info().Bool("resumed", resumed).Str("client_version", value(m.ClientVersion)).Msg("proxy registered")
			return call, d, nil
		}
		d.Close()
		if !errors.Is(err, ErrUnauthenticated) {
			break
		}
	}
	return nil, nil, err
}

// refuse answers a failed registration and closes the connection.
func (p *proxy) refuse(err error) {
	ack := refused(p.translator.session, err)
	refusals := p.log.Sample(p.options.Refusals)
	refusals.Warn().Err(err).Bool("retryable", ack.Retryable).Msg("proxy refused")
	p.write(ack)
	if ack.Retryable {
		p.close(&departure{websocket.StatusTryAgainLater, *ack.Error, false})
		return
	}
	p.close(&departure{websocket.StatusPolicyViolation, *ack.Error, false})
}

func (p *proxy) close(d *departure) { p.socket.Close(d.code, d.reason) }

// carry serves a registered proxy.
func (p *proxy) carry(ctx context.Context, call Call) {
	p.write(wire.RegisterAck{Success: true, SessionID: p.translator.session, MaxImageMB: maxImageMB})
	p.socket.Registered()
	defer p.attend(p)()
	var beside sync.WaitGroup
	beside.Go(func() { p.read(ctx) })
	beside.Go(p.keep)
	err := p.link.run(p.over, call, p.event)
	p.depart(departureOf(err)) // no effect if the proxy has left already
	d := departureOf(context.Cause(p.over))
	if d.soon {
		p.write(wire.ServerShutdown{Reason: restarting, ReconnectDelayMS: comeBack})
	}
	p.close(d)
	beside.Wait()
	p.link.close()
	p.log.Info().Str("why", d.reason).AnErr("err", err).Msg("proxy left")
}

// event sends an event to the proxy.
func (p *proxy) event(e *pb.ProxyEvent) {
	p.mu.Lock()
	m := p.translator.message(e)
	p.mu.Unlock()
	written := m != nil && p.write(m)
	if m, ok := m.(wire.PermissionResponse); ok && written {
		select {
		case p.decided <- m.RequestID:
		case <-p.over.Done():
		}
	}
	if e.GetTerminate() != nil {
		p.depart(errTerminated)
	}
}

// write sends a message that the generation of the proxy knows, and reports success. A failed write
// ends the connection.
func (p *proxy) write(m wire.Message) bool {
	frame, err := wire.Encode(p.translator.dialect, wire.ToProxy, m)
	if err != nil {
		p.log.Error().Err(err).Msg("frame not sent")
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
	defer cancel()
	stop := context.AfterFunc(p.over, func() { time.AfterFunc(farewell, cancel) })
	defer stop()
	if p.socket.Write(ctx, frame) != nil {
		p.depart(errDeaf)
		return false
	}
	return true
}

// keep pings the proxy. A pong also shows that it has read the decisions before.
func (p *proxy) keep() {
	ticker := time.NewTicker(pingEvery)
	defer ticker.Stop()
	for {
		select {
		case <-p.over.Done():
			return
		case <-ticker.C:
			p.ping()
		case id := <-p.decided:
			if p.ping() {
				_ = p.link.send(p.over, decisionTaken(id), 0) // the connection has ended
			}
		}
	}
}

// ping reports whether the proxy answers. A proxy whose frames are still being read is not silent,
// since its pong follows them.
func (p *proxy) ping() bool {
	for {
		before := p.framesRead.Load()
		ctx, cancel := context.WithTimeout(p.over, pongTimeout)
		err := p.socket.Ping(ctx)
		cancel()
		switch {
		case err == nil:
			return true
		case p.over.Err() == nil && (p.busy.Load() || p.socket.Busy() || p.framesRead.Load() != before):
			continue
		}
		p.depart(errSilent) // no effect if it has left already
		return false
	}
}
