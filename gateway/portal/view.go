package portal

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"betcode/gateway/portal/lines"
	"betcode/gateway/portal/requests"
	"betcode/gateway/portal/wire"
	pb "betcode/proto/betcode/v1"
)

const (
	batchLines = 500
	batchBytes = 1 << 20
	// maxInput bounds a prompt, in bytes; the daemon has a bound of its own.
	maxInput = 3 << 20
)

// view is a session that a page shows.
type view struct {
	page    *page
	session string
	stop    context.CancelFunc
	done    chan struct{}
	reader  reader
	hand    hand
	file    incoming
	proxied bool // its agent runs under a proxy

	mu     sync.Mutex // of the following
	book   requests.Book
	inputs map[string]wire.UUID // the client's id of an input, by its key

	progress progress  // owned by show
	opened   string    // the status when the page registered
	told     facts     // of the session; owned by the page's watch
	live     bool      // the history was sent
	after    time.Time // lines until then are not sent again
	batch    []lines.Line
	size     int
}

func newView(p *page, found Session, m wire.Register) *view {
	id := found.Summary.GetId()
	v := &view{page: p, session: id, done: make(chan struct{}), inputs: map[string]wire.UUID{}, live: found.Head <= found.Before}
	v.hand.view = v
	v.file.page, v.file.view, v.proxied = p, v, found.Summary.GetProxied() != nil
	status := found.Summary.GetStatus()
	v.progress.resting = status == "idle" || status == "new" && found.Summary.GetProxied() != nil // another new agent is not started yet
	v.told = factsOf(found.Summary)
	v.opened = v.told.status
	v.reader = reader{
		feeds: &p.feeds, key: feedKey{p.account, id}, here: position{writer: lines.New(id)}, head: found.Head, show: v.show,
		log: p.log.With().Str("session_id", id).Logger(),
	}
	if v.live { // nothing of the history is replayed
		v.reader.here.at, v.reader.shown = found.Head, found.Head
	}
	v.reader.here.writer.Describe(found.Summary.GetModel(), found.Summary.GetWorkingDirectory())
	if m.ReplayAfter != nil {
		v.after, _ = parseTime(*m.ReplayAfter)
	}
	return v
}

// run writes what happens in the session until it ends or the page leaves.
func (v *view) run(ctx context.Context) {
	defer close(v.done)
	if v.live {
		v.arrive(ctx)
	}
	switch err := v.reader.run(ctx); {
	case ctx.Err() != nil:
	case errors.Is(err, ErrUnauthenticated):
		v.page.expire(ctx)
	case errors.Is(err, errEnded):
		v.page.leave()
	default:
		v.page.send(ctx, wire.ErrorMessage{Message: err.Error()})
		v.page.leave()
	}
}

// close leaves the session.
func (v *view) close(ctx context.Context) {
	v.stop()
	v.file.close(ctx)
	v.hand.close()
	<-v.done
}

// show sends what an item means to the page.
func (v *view) show(ctx context.Context, i *item) {
	v.mu.Lock()
	resolved := v.book.Event(i.event)
	v.mu.Unlock()
	stages := v.progress.event(i.event)
	if !v.live {
		v.history(ctx, i)
		if i.event.GetSequence() >= v.reader.head {
			v.flush(ctx)
			v.arrive(ctx)
		}
		return
	}
	for _, o := range i.lines {
		v.output(ctx, o)
	}
	for _, s := range stages {
		v.stage(ctx, s.key, s.stage, s.why)
	}
	if resolved != nil && resolved.Shown {
		v.page.send(ctx, wire.ClaudeOutput{Content: lines.Note(resolved.Verdict()), AgentType: "claude"})
	}
	v.ask(ctx)
}

// arrive ends the history: what waits is shown, and the session is live.
func (v *view) arrive(ctx context.Context) {
	v.live = true
	v.page.send(ctx, wire.SessionStatus{Status: v.opened})
	v.ask(ctx)
}

// ask shows the request that waits longest, if the page has not got it.
func (v *view) ask(ctx context.Context) {
	v.mu.Lock()
	r := v.book.Next()
	v.mu.Unlock()
	if r != nil {
		v.page.send(ctx, *r)
	}
}

// history collects lines of the past and sends them in the page's way.
func (v *view) history(ctx context.Context, i *item) {
	for _, o := range i.lines {
		l := o.line
		if !l.At.After(v.after) {
			continue
		}
		v.batch = append(v.batch, l)
		if v.size += len(l.JSON); len(v.batch) >= batchLines || v.size >= batchBytes {
			v.flush(ctx)
		}
	}
}

func (v *view) flush(ctx context.Context) {
	batch := v.batch
	v.batch, v.size = nil, 0
	if len(batch) == 0 {
		return
	}
	m := wire.HistoryBatch{}
	if !wire.Knows(v.page.generation(), wire.ToPage, m) {
		for _, l := range batch {
			v.output(ctx, &output{line: l})
		}
		return
	}
	for _, l := range batch {
		at := naive(l.At)
		m.Messages = append(m.Messages, l.JSON)
		m.Entries = append(m.Entries, wire.Entry{Content: l.JSON, Meta: &wire.Meta{CreatedAt: &at}})
		m.LastCreatedAt = &at
	}
	v.page.send(ctx, m)
}

// output sends a line as pages get it live.
func (v *view) output(ctx context.Context, o *output) {
	frame, err := o.frame(v.page.generation())
	if err != nil {
		v.page.log.Error().Err(err).Msg("frame not sent")
		return
	}
	v.page.write(ctx, frame)
}

// refused tells what the daemon has refused.
func (v *view) refused(ctx context.Context, e *pb.ErrorEvent) {
	why := e.GetMessage()
	if holder := e.GetDetails()["holder_client_id"]; holder != "" { // pages cannot ask for the lock
		why = "The client " + holder + " has the input lock; release it there, or try again when it has left"
	}
	if key := e.GetDetails()["idempotency_key"]; key != "" {
		v.stage(ctx, key, wire.StageFailed, why)
	}
	v.page.send(ctx, wire.ErrorMessage{Message: why})
}

// lost tells that the daemon takes no requests of the page any more, and may not have those that are
// not confirmed.
func (v *view) lost(ctx context.Context, why string) {
	v.mu.Lock()
	keys := slices.Sorted(maps.Keys(v.inputs))
	v.mu.Unlock()
	for _, key := range keys {
		v.stage(ctx, key, wire.StageFailed, why)
	}
	v.page.send(ctx, wire.ErrorMessage{Message: why})
}

// refuse tells that an input does not count.
func (v *view) refuse(ctx context.Context, m wire.ClaudeInput, why string) {
	v.page.send(ctx, wire.ErrorMessage{Message: why})
	if m.ClientMsgID != nil {
		v.page.send(ctx, wire.InputProgress{ClientMsgID: *m.ClientMsgID, Stage: wire.StageFailed, Message: &why})
	}
}

// input hands a prompt over. The id that the page gives it is its idempotency key: a page that
// sends it again says it once.
func (v *view) input(ctx context.Context, m wire.ClaudeInput) {
	text := wire.Prompt(m.Content)
	message := &pb.UserMessage{Content: text, IdempotencyKey: uuid.NewString()}
	mode := wire.SendNormal
	if m.SendMode != nil {
		mode = *m.SendMode
	}
	switch {
	case !v.page.caller.may("control"):
		v.refuse(ctx, m, noPermission)
		return
	case mode != wire.SendNormal && mode != wire.SendWiggum:
		v.refuse(ctx, m, "The send mode is not known; it is normal or wiggum")
		return
	case text == "":
		v.refuse(ctx, m, "The message is empty")
		return
	case len(text) > maxInput:
		v.refuse(ctx, m, "The message has more than 3 MiB")
		return
	}
	if mode == wire.SendWiggum {
		message.Repeat = &pb.Repeat{}
	}
	if m.ClientMsgID != nil {
		message.IdempotencyKey = string(*m.ClientMsgID)
		v.mu.Lock()
		if len(v.inputs) < framesAtOnce {
			v.inputs[message.IdempotencyKey] = *m.ClientMsgID
		}
		v.mu.Unlock()
	}
	v.hand.send(ctx, &pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: message}})
}

func (v *view) interrupt(ctx context.Context) {
	if !v.page.caller.may("control") {
		v.page.send(ctx, wire.ErrorMessage{Message: noPermission})
		return
	}
	v.hand.send(ctx, &pb.AgentRequest{Request: &pb.AgentRequest_Cancel{Cancel: &pb.CancelRequest{Reason: "interrupt"}}})
}

// stopRepeat ends the repetition of a prompt, which the view sees as an event.
func (v *view) stopRepeat(ctx context.Context) {
	if !v.page.caller.may("control") {
		v.page.send(ctx, wire.ErrorMessage{Message: noPermission})
		return
	}
	asked, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	if err := v.page.account.StopRepeat(asked, v.session); err != nil {
		v.page.send(ctx, wire.ErrorMessage{Message: err.Error()})
	}
}

// answer answers the request that the page was shown.
func (v *view) answer(ctx context.Context, m wire.PermissionResponse) {
	if !v.page.caller.may("approve") {
		v.page.send(ctx, wire.ErrorMessage{Message: noPermission})
		return
	}
	v.mu.Lock()
	r, err := v.book.Decide(m)
	v.mu.Unlock()
	if err != nil {
		v.page.send(ctx, wire.ErrorMessage{Message: err.Error()})
		return
	}
	v.hand.send(ctx, r)
}
