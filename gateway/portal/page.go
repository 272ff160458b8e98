package portal

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"
	"github.com/rs/zerolog"
	"golang.org/x/time/rate"

	"betcode/gateway/portal/fragment"
	"betcode/gateway/portal/wire"
)

const (
	maxPageFrame  = 4 << 20
	framesASecond = 200
	framesAtOnce  = 2000
	writeTimeout  = 30 * time.Second // for a page that does not read
	pingEvery     = 30 * time.Second
	spendEvery    = 5 * time.Second
)

// The texts of errors that pages know.
const (
	accessDenied  = "Access denied: you don't own this session"
	noPermission  = "You don't have permission to send input to this session"
	shutdownText  = "Server is restarting"
	shutdownDelay = 1000 // milliseconds
)

// page is one WebSocket of a browser.
type page struct {
	*Server
	socket  *websocket.Conn
	id      string // client id at the daemon
	account *account
	caller  Caller
	log     zerolog.Logger
	leave   context.CancelFunc
	spent   *wire.UserSpendUpdate // last sent

	mu      sync.Mutex
	dialect wire.Dialect // zero before Register
	view    *view        // nil before Register
}

// client serves /ws/client.
func (s *Server) client(w http.ResponseWriter, r *http.Request) {
	if !s.hosts.origin(r, bearer(r) != "") {
		s.refuse(w, r, http.StatusForbidden, "a page without an Origin is not served")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), callTimeout)
	id := "portal-" + uuid.NewString()[:8]
	account, caller, err := s.enterAccount(ctx, r)
	cancel()
	switch {
	case errors.Is(err, ErrUnauthenticated):
		s.refuse(w, r, http.StatusUnauthorized, "log in first")
		return
	case err != nil:
		s.refuse(w, r, http.StatusServiceUnavailable, err.Error())
		return
	}
	defer s.accounts.leave(account)
	socket, leave, ok := s.accept(w, r, caller)
	if !ok {
		return
	}
	defer leave()
	socket.SetReadLimit(maxPageFrame)
	p := &page{Server: s, socket: socket, id: id, account: account, caller: caller, log: s.log.With().Str("client", id).Str("token", caller.Token).Logger()}
	p.serve(r.Context())
}

// accept takes a place for a page and accepts its WebSocket, or answers that there is none. leave closes the WebSocket and frees
// the place.
func (s *Server) accept(w http.ResponseWriter, r *http.Request, caller Caller) (socket *websocket.Conn, leave func(), ok bool) {
	exit, ok := s.enter(caller.login())
	if !ok {
		s.refuse(w, r, http.StatusServiceUnavailable, "too many pages")
		return nil, nil, false
	}
	socket, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true}) // guard has checked the origin
	if err != nil {
		exit()
		return nil, nil, false // Accept has answered
	}
	return socket, func() {
		_ = socket.CloseNow() // it may be closed already
		exit()
	}, true
}

// serve reads frames until the page leaves, its token ends, or the gateway ends.
func (p *page) serve(ctx context.Context) {
	ctx, p.leave = context.WithCancel(ctx)
	defer p.leave()
	p.log.Info().Msg("page connected")
	var beside sync.WaitGroup
	beside.Go(func() { p.watch(ctx) })
	pieces, others := rate.NewLimiter(piecesASecond, framesAtOnce), rate.NewLimiter(framesASecond, framesAtOnce)
	for {
		kind, frame, err := p.socket.Read(ctx)
		if err != nil {
			break
		}
		limit := others
		switch {
		case kind != websocket.MessageText:
			p.send(ctx, wire.ErrorMessage{Message: "Invalid message: frames are text"})
		case p.handle(ctx, frame):
			limit = pieces
		}
		if limit.Wait(ctx) != nil {
			break
		}
	}
	p.leave()
	beside.Wait()
	p.mu.Lock()
	v := p.view
	p.mu.Unlock()
	if v != nil {
		v.close(ctx)
	}
	p.log.Info().Msg("page left")
}

// handle handles one frame. It reports whether that is a piece of a file.
func (p *page) handle(ctx context.Context, frame []byte) (piece bool) {
	m, err := wire.Decode(wire.FromPage, frame)
	if err != nil {
		p.send(ctx, wire.ErrorMessage{Message: err.Error()})
		return false
	}
	if m, ok := m.(wire.Register); ok {
		p.register(ctx, m)
		return false
	}
	p.mu.Lock()
	v := p.view
	p.mu.Unlock()
	if v == nil {
		return false // the protocol ignores everything before Register
	}
	switch m := m.(type) {
	case wire.ClaudeInput:
		v.input(ctx, m)
	case wire.PermissionResponse:
		v.answer(ctx, m)
	case wire.Interrupt:
		v.interrupt(ctx)
	case wire.StopRepeat:
		v.stopRepeat(ctx)
	case wire.FileUploadStart:
		v.file.start(ctx, m)
	case wire.FileUploadChunk:
		v.file.add(ctx, m)
		return true
	}
	return false
}

func ref[T any](v T) *T { return &v }

// register shows a session. A page shows only one, because outputs do not name their session.
func (p *page) register(ctx context.Context, m wire.Register) {
	p.mu.Lock()
	again := p.view != nil
	if !again {
		p.dialect = m.Dialect
	}
	p.mu.Unlock()
	if again {
		p.send(ctx, wire.ErrorMessage{Message: "This connection has a session already; open another one"})
		return
	}
	asked, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	found, err := p.account.Show(asked, string(m.SessionID))
	if err != nil {
		why := accessDenied
		if !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrDenied) {
			why = err.Error()
		}
		p.send(ctx, wire.ErrorMessage{Message: why})
		p.socket.Close(websocket.StatusPolicyViolation, "")
		p.leave()
		return
	}
	if p.caller.Shared { // its roles may have changed since the page connected
		caller, err := p.account.Caller(asked)
		if err != nil {
			p.expire(ctx)
			return
		}
		p.caller = caller.within(string(m.SessionID))
	}
	v := newView(p, found, m)
	ctx, v.stop = context.WithCancel(ctx)
	p.mu.Lock()
	p.view = v
	p.mu.Unlock()
	p.log.Info().Str("session_id", v.session).Stringer("dialect", m.Dialect).Msg("page shows a session")
	go v.run(ctx)
}

// generation returns the dialect for messages to the page: before Register G1, whose types all pages know.
func (p *page) generation() wire.Dialect {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(p.dialect, wire.G1)
}

// send sends a message, if the page's generation knows it. A failed write ends the page.
func (p *page) send(ctx context.Context, m wire.Message) {
	d := p.generation()
	if !wire.Knows(d, wire.ToPage, m) {
		return
	}
	frame, err := wire.Encode(d, wire.ToPage, m)
	if err != nil {
		p.log.Error().Err(err).Msg("frame not sent")
		return
	}
	p.write(ctx, frame)
}

func (p *page) write(ctx context.Context, frame []byte) {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	if err := fragment.Write(ctx, p.socket, frame); err != nil {
		p.leave()
	}
}
