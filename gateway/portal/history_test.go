package portal

import (
	"context"
	"sync"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/gateway/portal/lines"
	pb "betcode/proto/betcode/v1"
)

// history is the journal of a session. It implements the part of [Daemon] that readers need.
type history struct {
	Daemon
	mu      sync.Mutex
	events  []*pb.AgentEvent
	grown   chan struct{} // closed by the next event
	streams int           // open streams
	ended   error         // end of all streams
}

func newHistory() *history { return &history{grown: make(chan struct{})} }

// add journals an event.
func (h *history) add(e *pb.AgentEvent) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e.Sequence = uint64(len(h.events) + 1)
	e.Timestamp = timestamppb.New(time.Now())
	h.events = append(h.events, e)
	close(h.grown)
	h.grown = make(chan struct{})
}

// end ends all streams.
func (h *history) end(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = err
	close(h.grown)
	h.grown = make(chan struct{})
}

func (h *history) head() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return uint64(len(h.events))
}

// Follow implements [Daemon].
func (h *history) Follow(_ string, after uint64) Conversation {
	f := &follower{history: h, events: make(chan *pb.AgentEvent)}
	f.ctx, f.stop = context.WithCancel(context.Background())
	h.mu.Lock()
	defer h.mu.Unlock()
	h.streams++
	go f.run(after)
	return f
}

type follower struct {
	*history
	events chan *pb.AgentEvent
	ctx    context.Context
	stop   context.CancelFunc
	err    error
}

func (f *follower) run(at uint64) {
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.streams--
		close(f.events)
	}()
	for {
		f.mu.Lock()
		all, grown := f.history.events, f.grown
		f.err = f.ended
		f.mu.Unlock()
		if f.err != nil {
			return
		}
		if at < uint64(len(all)) {
			select {
			case f.events <- all[at]:
				at++
				continue
			case <-f.ctx.Done():
				return
			}
		}
		select {
		case <-grown:
		case <-f.ctx.Done():
			return
		}
	}
}

func (f *follower) Events() <-chan *pb.AgentEvent { return f.events }
func (f *follower) Send(*pb.AgentRequest)         {}
func (f *follower) Close()                        { f.stop() }
func (f *follower) Err() error                    { return f.err }

// watcher is a page that records the items that it is shown. It takes an item when may allows it.
type watcher struct {
	reader
	lines []string
	asked map[string]bool
	may   chan struct{} // closed: no limit
	stop  context.CancelFunc
	err   chan error
}

func watch(all *feeds, a *account, head uint64) *watcher {
	w := &watcher{asked: map[string]bool{}, may: make(chan struct{}), err: make(chan error, 1)}
	w.reader = reader{feeds: all, key: feedKey{a, "s"}, here: position{writer: lines.New("s")}, head: head, show: w.show}
	ctx, cancel := context.WithCancel(context.Background())
	w.stop = cancel
	go func() { w.err <- w.run(ctx) }()
	return w
}

func (w *watcher) show(ctx context.Context, i *item) {
	select {
	case <-w.may:
	case <-ctx.Done():
		return
	}
	for _, o := range i.lines {
		w.lines = append(w.lines, string(o.line.JSON))
	}
	if id := requestOf(i.event); id != "" {
		w.asked[id] = true
	}
	delete(w.asked, i.event.GetPermissionResolved().GetRequestId())
}

// each returns what every page must get: the lines of the whole session.
func (h *history) each() (all []string) {
	p := position{writer: lines.New("s")}
	for _, e := range h.events {
		for _, o := range p.next(e).lines {
			all = append(all, string(o.line.JSON))
		}
	}
	return all
}
