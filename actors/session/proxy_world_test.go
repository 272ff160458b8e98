package session

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// afar is what is at the other end: a proxy with the state that it keeps in a file, its connection, and its agent.
type afar struct {
	t *rapid.T
	b *bench

	abilities   messages.ProxyAbilities
	connection  string // empty = none
	connections int
	next        uint64
	pending     []messages.ProxyLine  // that were not acknowledged
	flying      []messages.ProxyFrame // sent on the connection, not taken
	inbox       []messages.ProxyInput // that the connection brought
	queue       []messages.ProxyInput // in the memory of the proxy

	said      []string          // the text of each line, in order
	accepted  []string          // keys of messages that people sent
	contents  map[uint64]string // of inputs, by number
	confirmed uint64            // the newest input whose acknowledgement was taken
	given     map[string]int    // how often the agent got a message
	asking    *pendingFrames    // taken by the session, and not answered
}

// pendingFrames is a batch whose answer has not come.
type pendingFrames struct {
	connection string
	frames     []messages.ProxyFrame
}

// tell delivers a message, and carries out what concerns the other end.
func (a *afar) tell(m any) {
	a.b.tell(m)
	a.carry()
}

// commit lets the journal decide about the oldest append.
func (a *afar) commit() {
	a.b.commit()
	a.carry()
}

// carry carries out the effects.
func (a *afar) carry() {
	for _, e := range a.b.effects {
		switch e := e.(type) {
		case sendToProxy:
			if in, ok := e.event.(messages.ProxyInput); ok && e.connection == a.connection {
				a.receive(in)
			}
		case closeProxy:
			if e.connection == a.connection {
				a.drop()
			}
		case act.Reply:
			if m, ok := e.With.(messages.ProxyFramesTaken); ok {
				a.answered(m)
			}
		}
	}
	a.b.quiet()
}

// receive checks an input that the connection brings.
func (a *afar) receive(in messages.ProxyInput) {
	if before, known := a.contents[in.Number]; known && before != in.Content {
		a.t.Fatalf("input %d is %q and was %q", in.Number, in.Content, before)
	}
	a.contents[in.Number] = in.Content
	if in.Number <= a.confirmed {
		a.t.Fatalf("input %d is sent again, %d was acknowledged", in.Number, a.confirmed)
	}
	if n := len(a.inbox); n > 0 && a.inbox[n-1].Number >= in.Number {
		a.t.Fatalf("input %d comes behind %d", in.Number, a.inbox[n-1].Number)
	}
	a.inbox = append(a.inbox, in)
}

// answered takes the answer to the batch under way.
func (a *afar) answered(m messages.ProxyFramesTaken) {
	batch := a.asking
	a.asking = nil
	if batch == nil {
		return // the gateway's call has ended meanwhile
	}
	for _, f := range batch.frames {
		if in, ok := f.(messages.ProxyInputTaken); ok {
			a.confirmed = max(a.confirmed, in.Number)
		}
	}
	for batch.connection == a.connection && m.Counted && len(a.pending) > 0 && a.pending[0].Seq <= m.Seq {
		a.pending = a.pending[1:]
	}
}

// drop ends the connection at the proxy's end.
func (a *afar) drop() { a.connection, a.flying, a.inbox, a.asking = "", nil, nil, nil }

func (a *afar) connect() {
	a.drop()
	a.connections++
	a.connection = fmt.Sprintf("c%d", a.connections)
	for _, l := range a.pending {
		a.flying = append(a.flying, l)
	}
	a.tell(connect(a.connection, a.abilities))
}

// output is a line of the agent.
func (a *afar) output(line string) {
	l := proxyLine(a.next, line)
	a.next++
	a.pending = append(a.pending, l)
	if a.connection != "" {
		a.flying = append(a.flying, l)
	}
}

// take puts the next input into the memory of the proxy, which acknowledges it at once unless its agent does.
func (a *afar) take() {
	if len(a.inbox) == 0 {
		return
	}
	in := a.inbox[0]
	a.inbox, a.queue = a.inbox[1:], append(a.queue, in)
	if !a.abilities.AcknowledgesFromAgent {
		a.flying = append(a.flying, messages.ProxyInputTaken{Number: in.Number})
	}
}

// work has the agent answer the next message.
func (a *afar) work() {
	if len(a.queue) == 0 {
		return
	}
	in := a.queue[0]
	a.queue = a.queue[1:]
	a.given[in.Key]++
	if a.abilities.AcknowledgesFromAgent && a.connection != "" {
		a.flying = append(a.flying, messages.ProxyInputTaken{Number: in.Number, ByAgent: true})
	}
	text := fmt.Sprintf("<%d %s>", len(a.said), in.Key)
	a.said = append(a.said, text)
	a.output(lineOfTurn)
	a.output(lineOfPrompt(in.Content))
	a.output(lineOfText(fmt.Sprintf("m%d", len(a.said)), text))
	a.output(lineOfResult)
}

// flush has the session take some of what the connection has brought, one batch at a time.
func (a *afar) flush(most int) {
	if a.connection == "" || a.asking != nil || len(a.flying) == 0 {
		return
	}
	n := min(most, len(a.flying))
	a.asking = &pendingFrames{a.connection, a.flying[:n:n]}
	a.flying = a.flying[n:]
	a.tell(frames(a.connection, a.asking.frames...))
}

// crash ends the daemon. The journal has what it committed and perhaps some of what it was given.
func (a *afar) crash(kept int) {
	for range min(kept, len(a.b.waiting)) {
		if err := a.b.journal.Apply(a.b.waiting[0]); err != nil {
			a.t.Fatalf("the journal refuses: %v", err)
		}
		a.b.waiting = a.b.waiting[1:]
	}
	a.b.waiting = nil
	a.drop()
	a.b.crash()
	a.b.quiet()
}

// settle lets everything come to rest.
func (a *afar) settle() {
	a.b.manual = false
	for len(a.b.waiting) > 0 {
		a.commit()
	}
	a.connect()
	for range 4 {
		for len(a.inbox)+len(a.queue)+len(a.flying) > 0 {
			a.take()
			a.work()
			a.flush(7)
		}
		a.repeat()
		a.tell(echoDue{a.connection, ^uint64(0)})
	}
}

// repeat lets the time pass that an agent has to repeat what it got: nothing is under way any more.
func (a *afar) repeat() {
	if a.connection != "" && len(a.inbox)+len(a.queue)+len(a.flying) == 0 && a.asking == nil {
		a.tell(repeatDue{a.connection})
	}
}

// texts are all texts of the history, and notices about messages by key.
func (a *afar) texts() (texts string, lost map[string]bool) {
	lost = map[string]bool{}
	var b strings.Builder
	for _, e := range a.b.journal.Events {
		var event pb.AgentEvent
		if err := proto.Unmarshal(e.Bytes, &event); err != nil {
			a.t.Fatalf("event %d: %v", e.Seq, err)
		}
		b.WriteString(event.GetTextDelta().GetText())
		if n := event.GetNotice(); n.GetCode() == "INPUT_LOST" {
			lost[n.GetDetails()["idempotency_key"]] = true
		}
	}
	return b.String(), lost
}
