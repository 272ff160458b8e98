package proxy

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"betcode/gateway/portal/wire"
	pb "betcode/proto/betcode/v1"
)

const (
	// maxInputs bounds the inputs that the daemon has not accepted; then the backend has to wait.
	maxInputs = 256
	// maxInput bounds an input, in bytes; the daemon has a bound of its own.
	maxInput = 3 << 20
	// keyVersion is the version of the UUIDs that are keys of inputs; those of other clients are random.
	keyVersion = 5
)

// input is a prompt of the backend that the session does not have yet, or that is not acknowledged.
type input struct {
	seq      int64
	numbered bool // it is acknowledged
	key      string
	client   *wire.UUID // the page's id
	text     string
	repeat   bool // until the agent says that it is done
	done     bool // accepted or refused
	again    bool // the daemon asks to send it again
}

// namespace of the keys of inputs.
var namespace = uuid.MustParse("9d1c3c52-7f0e-5d0f-9a55-6a4a1c3c5b0e")

// keyOf returns the idempotency key of an input. The same input has the same key, however often the
// backend sends it. The text is part of it, because a backend that has lost its state counts from 1 again.
// The id of the page is not: backends of G3 leave it out when they send an input again from their store.
func (l *link) keyOf(seq int64, text string) string {
	raw, err := json.Marshal([]string{l.Backend, l.Session, strconv.FormatInt(seq, 10), text})
	if err != nil {
		panic("proxy: " + err.Error()) // strings can be encoded
	}
	return uuid.NewSHA1(namespace, raw).String()
}

// full reports whether the backend has to wait until the daemon has accepted inputs.
func (l *link) full() bool { return len(l.inputs) >= maxInputs }

// sequenced takes an input with a number.
func (l *link) sequenced(m wire.SequencedInput) {
	if string(m.SessionID) != l.Session || m.Seq < 1 {
		return
	}
	if slices.ContainsFunc(l.inputs, func(i *input) bool { return i.numbered && i.seq == m.Seq }) {
		return // it is under way
	}
	text := wire.Prompt(m.Content)
	l.enter(&input{seq: m.Seq, numbered: true, key: l.keyOf(m.Seq, text), client: m.ClientMsgID, text: text}, m.SendMode)
}

// enter takes one input.
func (l *link) enter(i *input, mode *string) {
	l.inputs = append(l.inputs, i)
	switch {
	case l.saved.knows(i.key):
		l.finish(i, wire.StageAgentAccepted)
	case l.ReadOnly:
		l.refuse(i, "This session may only be viewed here; the message was not sent.")
	case mode != nil && *mode != wire.SendNormal && *mode != wire.SendWiggum:
		l.refuse(i, "This proxy does not know that mode of sending.")
	case i.text == "":
		l.refuse(i, "The message is empty.")
	case len(i.text) > maxInput:
		l.refuse(i, "The message has more than 3 MiB.")
	default:
		i.repeat = mode != nil && *mode == wire.SendWiggum
		l.stage(i, wire.StageProxyReceived)
		l.send(i)
	}
}

func (l *link) send(i *input) {
	i.again = false
	m := &pb.UserMessage{Content: i.text, IdempotencyKey: i.key}
	if i.repeat {
		m.Repeat = &pb.Repeat{} // as often as the reference does, until its marker
	}
	l.do(ask{&pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: m}}})
}

// accepted notes that the session has an input.
func (l *link) accepted(key string) {
	if l.saved.learn(key) {
		l.dirty = true
	}
	if i := l.pending(key); i != nil {
		l.finish(i, wire.StageAgentAccepted)
	}
}

func (l *link) pending(key string) *input {
	for _, i := range l.inputs {
		if i.key == key && !i.done && key != "" {
			return i
		}
	}
	return nil
}

// refuse tells people that an input does not enter the conversation. It is acknowledged: sent again
// later, it would come as a surprise.
func (l *link) refuse(i *input, why string) {
	l.note("%s", why)
	l.finish(i, wire.StageFailed)
}

// finish ends an input, and acknowledges all before the first that is under way.
func (l *link) finish(i *input, stage string) {
	i.done = true
	l.stage(i, stage)
	lowest, acked := int64(math.MaxInt64), int64(0)
	for _, other := range l.inputs {
		if other.numbered && !other.done {
			lowest = min(lowest, other.seq)
		}
	}
	l.inputs = slices.DeleteFunc(l.inputs, func(other *input) bool {
		if !other.done || other.numbered && other.seq > lowest {
			return false
		}
		if other.numbered {
			acked = max(acked, other.seq)
		}
		return true
	})
	if acked > 0 {
		l.say(wire.InputAck{SessionID: wire.UUID(l.Session), AckSeq: acked})
	}
}

func (l *link) stage(i *input, stage string) {
	if i.client != nil {
		l.say(wire.InputProgressAck{SessionID: wire.UUID(l.Session), ClientMsgID: *i.client, Stage: stage})
	}
}

// temporary are codes of errors after which the same input may be accepted.
var temporary = []string{"UNAVAILABLE", "DAEMON_STOPPING", "ABORTED", "DEADLINE_EXCEEDED"}

// failed takes an error about a request.
func (l *link) failed(e *pb.ErrorEvent) {
	if i := l.pending(e.GetDetails()["idempotency_key"]); i != nil {
		if slices.Contains(temporary, e.GetCode()) {
			i.again = true
			return
		}
		l.refuse(i, e.GetMessage())
		return
	}
	if e.GetDetails()["request_id"] != "" {
		l.book.Again() // the backend has dropped the request with the answer
	}
	if e.GetMessage() != "" {
		l.note("%s", e.GetMessage())
	}
}

// retry sends the inputs again that the daemon could not take.
func (l *link) retry() {
	for _, i := range l.inputs {
		if i.again {
			l.send(i)
		}
	}
}
