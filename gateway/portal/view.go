package portal

import (
	"context"
	"errors"
	"sync"
	"time"

	"betcode/gateway/portal/lines"
	"betcode/gateway/portal/requests"
	"betcode/gateway/portal/wire"
)

const (
	batchLines = 500
	batchBytes = 1 << 20
	// maxInput bounds a prompt, in bytes; the daemon has another bound.
	maxInput = 3 << 20
)

// view is a session that a page shows.
type view struct {
	page      *page
	session   string
	stop      context.CancelFunc
	done      chan struct{}
	reader    reader
	requester requester
	file      incoming
	proxied   bool // its agent runs under a proxy

	mu     sync.Mutex // of the following
	queue  requests.Queue
	inputs map[string]wire.UUID // the client's id of an input, by its key
	stages stages

	progress  progress  // owned by show
	opened    string    // the status when the page registered
	sentFacts facts     // facts that were last sent; owned by the page's watch
	live      bool      // the history was sent
	after     time.Time // lines up to this time are not sent again
	batch     []lines.Line
	size      int
}

func newView(p *page, found Session, m wire.Register) *view {
	id := found.Summary.GetId()
	v := &view{page: p, session: id, done: make(chan struct{}), inputs: map[string]wire.UUID{}, live: found.Head <= found.Before}
	v.requester.view = v
	v.file.page, v.file.view, v.proxied = p, v, found.Summary.GetProxied() != nil
	status := found.Summary.GetStatus()
	v.progress.resting = status == "idle" || status == "new" && found.Summary.GetProxied() != nil // other new agents are not started yet
	v.sentFacts = factsOf(found.Summary)
	v.opened = v.sentFacts.status
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

// run sends the events of the session until it ends or the page leaves.
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
	v.requester.close()
	<-v.done
}

// show sends an item to the page.
func (v *view) show(ctx context.Context, i *item) {
	stages := v.progress.event(i.event)
	v.mu.Lock()
	resolved := v.queue.Event(i.event)
	for _, s := range stages {
		v.stages.store(s)
	}
	v.mu.Unlock()
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
		v.stage(ctx, s)
	}
	if resolved != nil && resolved.Shown {
		v.page.send(ctx, wire.ClaudeOutput{Content: lines.Note(resolved.Verdict()), AgentType: "claude"})
	}
	v.ask(ctx)
}

// arrive ends the history: it shows the waiting request and makes the session live.
func (v *view) arrive(ctx context.Context) {
	v.live = true
	v.page.send(ctx, wire.SessionStatus{Status: v.opened})
	v.ask(ctx)
}

// ask shows the oldest waiting request, unless the page has it.
func (v *view) ask(ctx context.Context) {
	v.mu.Lock()
	r := v.queue.Next()
	v.mu.Unlock()
	if r != nil {
		v.page.send(ctx, *r)
	}
}

// history collects lines of the history and sends them in the form of the page's dialect.
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

// output sends a live line.
func (v *view) output(ctx context.Context, o *output) {
	frame, err := o.frame(v.page.generation())
	if err != nil {
		v.page.log.Error().Err(err).Msg("frame not sent")
		return
	}
	v.page.write(ctx, frame)
}
