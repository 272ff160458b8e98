package proxy

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/gateway/portal/proxy/proxytest"
	"betcode/gateway/portal/wire"
	pb "betcode/proto/betcode/v1"
)

const (
	sessionID = "0b0e8a10-0000-4000-8000-00000000000a"
	ourName   = "portal-proxy-1"
)

// world is a daemon with one session, a backend, and the messages in transit between them and a proxy.
// A test executes it step by step, so that it can interrupt it between any two steps.
type world struct {
	*testing.T
	rand *rand.Rand
	db   *proxytest.Database
	with func(*Config)

	// of the daemon
	journal []*pb.AgentEvent
	lineage string
	keys    map[string]bool
	waiting *pb.PermissionRequest // request of the agent

	// of the proxy
	durable Checkpoint // on disk
	link    *link
	opened  bool
	cursor  uint64 // of the stream of events
	greeted bool
	asked   []*pb.AgentRequest // in transit to the daemon
	loose   []*pb.AgentEvent   // unnumbered events in transit from the daemon
	queue   [][]byte           // in transit to the backend

	// of the backend
	peer  *proxytest.Peer
	back  [][]byte // in transit from the backend
	said  int
	ended *outcome
}

func newWorld(t *testing.T, generation int, seed uint64) *world {
	return &world{
		T: t, rand: rand.New(rand.NewPCG(seed, 1)), db: proxytest.NewDatabase(generation), lineage: "one", keys: map[string]bool{}, with: func(*Config) {},
	}
}

func (w *world) config() Config {
	c := Config{
		Backend: "ws://127.0.0.1:1", Session: sessionID, Name: "box", Version: "betcode 1", Dialect: wire.Dialect(w.db.Generation), Client: ourName, //nolint:gosec // 1 to 3
		MaxUpload: 1 << 20, NewID: func() string { return fmt.Sprintf("0b0e8a10-0000-4000-8000-%012x", w.rand.Uint64()&0xffffffffffff) },
	}
	w.with(&c)
	return c
}

// add journals an event.
func (w *world) add(e *pb.AgentEvent) {
	e.Sequence = uint64(len(w.journal)) + 1
	e.Timestamp = &timestamppb.Timestamp{Seconds: int64(len(w.journal)) + 1000}
	w.journal = append(w.journal, e)
}

// work executes one action of the agent.
func (w *world) work() {
	switch w.rand.IntN(6) {
	case 0:
		w.add(&pb.AgentEvent{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{Text: "a", BlockId: "m/0"}}})
	case 1, 2:
		w.add(&pb.AgentEvent{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{Text: fmt.Sprint("text ", len(w.journal)), BlockId: "m/0", IsComplete: true}}})
	case 3:
		w.add(&pb.AgentEvent{Event: &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{StopReason: "end_turn"}}})
	case 4:
		if w.waiting == nil {
			input, _ := structpb.NewStruct(map[string]any{"command": "ls"})
			w.waiting = &pb.PermissionRequest{RequestId: fmt.Sprint("r", len(w.journal)), ToolName: "Bash", Input: input}
			w.add(&pb.AgentEvent{Event: &pb.AgentEvent_PermissionRequest{PermissionRequest: w.waiting}})
		} else if w.rand.IntN(2) == 0 {
			w.resolve("person")
		}
	case 5:
		w.add(&pb.AgentEvent{Event: &pb.AgentEvent_ToolCallResult{ToolCallResult: &pb.ToolCallResult{ToolId: "t", Output: "out"}}})
	}
}

func (w *world) resolve(by string) {
	w.add(&pb.AgentEvent{Event: &pb.AgentEvent_PermissionResolved{PermissionResolved: &pb.PermissionResolved{
		RequestId: w.waiting.GetRequestId(), Decision: pb.PermissionDecision_ALLOW_ONCE, ResolvedBy: by, Reason: "client",
	}}})
	w.waiting = nil
}

// connect begins a connection with the durable state.
func (w *world) connect() {
	w.asked, w.loose, w.queue, w.back, w.opened, w.ended = nil, nil, nil, nil, false, nil
	saved := w.durable
	found := Session{Directory: "/project", Head: uint64(len(w.journal))}
	if found.Head < saved.After {
		saved.restore("", found.Head)
		w.durable = saved
	}
	w.link = newLink(w.config(), saved, found)
	w.peer = w.db.Connect()
	p := New(Options{Config: w.config()})
	w.do([]effect{say{p.register(found, "")}})
}

// cut breaks the connection: messages in transit are lost. The proxy has time to save, unless it is killed.
func (w *world) cut(kill bool) {
	if w.link.registered && !kill {
		w.durable = w.link.saved
	}
	w.peer.Close()
	w.connect()
}

// do performs effects like the shell.
func (w *world) do(effects []effect) {
	for _, e := range effects {
		switch e := e.(type) {
		case say:
			frame, err := wire.Encode(w.link.Dialect, wire.FromProxy, e.Message)
			if err != nil {
				w.Fatal(err)
			}
			w.queue = append(w.queue, frame)
		case ask:
			w.asked = append(w.asked, e.AgentRequest)
		case save:
			w.link.dirty = false
			w.durable = w.link.saved
		case open:
			w.opened, w.cursor, w.greeted = true, w.link.saved.After, false
			w.loose = append(w.loose, &pb.AgentEvent{Event: &pb.AgentEvent_SessionInfo{SessionInfo: &pb.SessionInfo{Lineage: w.lineage, Head: uint64(len(w.journal))}}})
		case lookUp:
			w.do(w.link.branchIs("main"))
		case keep:
			w.do(w.link.kept(e, "/uploads/"+e.name, nil))
		case leave:
			w.ended = &e.outcome
			return
		case terminate:
			w.ended = &outcome{final: true}
			return
		}
	}
}

// step delivers one message in transit. It reports whether there was one.
func (w *world) step(which int) bool {
	w.back = append(w.back, w.peer.Take()...)
	switch {
	case which == 0 && len(w.queue) > 0:
		frame := w.queue[0]
		w.queue = w.queue[1:]
		w.peer.Receive(frame)
	case which == 1 && len(w.back) > 0 && !w.link.full():
		frame := w.back[0]
		w.back = w.back[1:]
		m, err := wire.Decode(wire.ToProxy, frame)
		if err != nil {
			w.Fatal(err)
		}
		w.do(w.link.frame(m))
	case which == 2 && w.opened && len(w.queue) == 0:
		return w.next()
	case which == 3 && len(w.asked) > 0:
		r := w.asked[0]
		w.asked = w.asked[1:]
		w.serve(r)
	default:
		return false
	}
	return true
}

// next passes the next event to the link.
func (w *world) next() bool {
	switch {
	case len(w.loose) > 0:
		e := w.loose[0]
		w.loose = w.loose[1:]
		w.do(w.link.event(e))
	case w.cursor < uint64(len(w.journal)):
		w.cursor++
		w.do(w.link.event(w.journal[w.cursor-1]))
	case !w.greeted:
		w.greeted = true
		if w.waiting != nil {
			w.do(w.link.event(&pb.AgentEvent{Event: &pb.AgentEvent_PermissionRequest{PermissionRequest: w.waiting}}))
		}
	default:
		return false
	}
	return true
}

// serve handles a request like the daemon.
func (w *world) serve(r *pb.AgentRequest) {
	if m := r.GetMessage(); m != nil {
		if !w.keys[m.GetIdempotencyKey()] {
			w.keys[m.GetIdempotencyKey()] = true
			w.add(&pb.AgentEvent{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: m.GetContent(), IdempotencyKey: m.GetIdempotencyKey()}}})
		}
		return
	}
	if p := r.GetPermission(); p != nil {
		if w.waiting.GetRequestId() == p.GetRequestId() && w.waiting != nil {
			w.resolve(ourName)
			return
		}
		w.loose = append(w.loose, &pb.AgentEvent{Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{
			Code: "PERMISSION_STALE", Message: "too late", Details: map[string]string{"request_id": p.GetRequestId()},
		}}})
	}
}

// say sends a prompt of a page.
func (w *world) say() {
	w.said++
	w.db.Say(sessionID, fmt.Sprint("prompt ", w.said), "", "")
}
