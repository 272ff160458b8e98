package portal

import (
	"context"
	"errors"
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
	talk    Conversation
	done    chan struct{}

	mu     sync.Mutex // of the following
	writer *lines.Writer
	book   requests.Book
	live   bool                 // the history was sent
	inputs map[string]wire.UUID // the client's id of an input, by its key

	head  uint64    // the history ends here
	after time.Time // lines until then are not sent again
	batch []lines.Line
	size  int
}

func newView(p *page, found Session, m wire.Register) *view {
	v := &view{
		page: p, session: found.Summary.GetId(), done: make(chan struct{}), writer: lines.New(found.Summary.GetId()),
		inputs: map[string]wire.UUID{}, head: found.Head, live: found.Head <= found.Before,
	}
	v.writer.Describe(found.Summary.GetModel(), found.Summary.GetWorkingDirectory())
	if m.ReplayAfter != nil {
		v.after, _ = parseTime(*m.ReplayAfter)
	}
	v.talk = p.daemon.Converse(v.session, p.caller.may("control") || p.caller.may("approve"))
	return v
}

// run writes what happens in the session until it ends.
func (v *view) run(ctx context.Context) {
	defer close(v.done)
	if v.live {
		v.arrive(ctx)
	}
	for e := range v.talk.Events() {
		v.event(ctx, e)
	}
	switch err := v.talk.Err(); {
	case errors.Is(err, ErrUnauthenticated):
		v.page.expire(ctx)
	case err != nil:
		v.page.send(ctx, wire.ErrorMessage{Message: err.Error()})
		v.page.leave()
	}
}

// close leaves the session.
func (v *view) close() {
	v.talk.Close()
	<-v.done
}

// event sends what an event means to the page.
func (v *view) event(ctx context.Context, e *pb.AgentEvent) {
	v.mu.Lock()
	all := v.writer.Lines(e)
	resolved := v.book.Event(e)
	live := v.live
	v.mu.Unlock()
	if !live {
		v.history(ctx, all)
		if e.GetSequence() >= v.head {
			v.flush(ctx)
			v.arrive(ctx)
		}
		return
	}
	for _, l := range all {
		v.page.send(ctx, v.output(l))
	}
	v.progress(ctx, e)
	if resolved != nil && resolved.Shown {
		v.page.send(ctx, wire.ClaudeOutput{Content: lines.Note(resolved.Verdict()), AgentType: "claude"})
	}
	v.ask(ctx)
}

// arrive ends the history: what waits is shown, and the session is live.
func (v *view) arrive(ctx context.Context) {
	v.mu.Lock()
	v.live = true
	v.mu.Unlock()
	v.page.send(ctx, wire.SessionStatus{Status: "active"})
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
func (v *view) history(ctx context.Context, all []lines.Line) {
	for _, l := range all {
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
			v.page.send(ctx, v.output(l))
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

func (v *view) output(l lines.Line) wire.ClaudeOutput {
	at := naive(l.At)
	return wire.ClaudeOutput{Content: l.JSON, AgentType: "claude", Meta: &wire.Meta{CreatedAt: &at}}
}

// progress tells the page how far its inputs are, and what it alone has to know.
func (v *view) progress(ctx context.Context, e *pb.AgentEvent) {
	switch event := e.GetEvent().(type) {
	case *pb.AgentEvent_UserInput:
		v.stage(ctx, event.UserInput.GetIdempotencyKey(), wire.StageServerReceived, "")
	case *pb.AgentEvent_TurnComplete:
		for _, key := range event.TurnComplete.GetInputKeys() {
			v.stage(ctx, key, wire.StageAgentAccepted, "")
		}
	case *pb.AgentEvent_Error:
		if e.GetSequence() > 0 {
			return // it is a line
		}
		if key := event.Error.GetDetails()["idempotency_key"]; key != "" {
			v.stage(ctx, key, wire.StageFailed, event.Error.GetMessage())
		}
		v.page.send(ctx, wire.ErrorMessage{Message: event.Error.GetMessage()})
	}
}

// stage tells how far an input of this page is.
func (v *view) stage(ctx context.Context, key, stage, why string) {
	v.mu.Lock()
	id, ours := v.inputs[key]
	if stage != wire.StageServerReceived {
		delete(v.inputs, key)
	}
	v.mu.Unlock()
	if !ours {
		return
	}
	m := wire.InputProgress{ClientMsgID: id, Stage: stage}
	if why != "" {
		m.Message = &why
	}
	v.page.send(ctx, m)
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
	switch {
	case !v.page.caller.may("control"):
		v.refuse(ctx, m, noPermission)
		return
	case m.SendMode != nil && *m.SendMode != wire.SendNormal:
		v.refuse(ctx, m, "This portal does not repeat prompts; send it in the normal mode")
		return
	case text == "":
		v.refuse(ctx, m, "The message is empty")
		return
	case len(text) > maxInput:
		v.refuse(ctx, m, "The message has more than 3 MiB")
		return
	}
	key := uuid.NewString()
	if m.ClientMsgID != nil {
		key = string(*m.ClientMsgID)
		v.mu.Lock()
		if len(v.inputs) < framesAtOnce {
			v.inputs[key] = *m.ClientMsgID
		}
		v.mu.Unlock()
	}
	v.talk.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: &pb.UserMessage{Content: text, IdempotencyKey: key}}})
}

func (v *view) interrupt(ctx context.Context) {
	if !v.page.caller.may("control") {
		v.page.send(ctx, wire.ErrorMessage{Message: noPermission})
		return
	}
	v.talk.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Cancel{Cancel: &pb.CancelRequest{Reason: "interrupt"}}})
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
	v.talk.Send(r)
}
