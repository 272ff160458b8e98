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
	// maxInputs bounds the inputs that the daemon has not accepted. Beyond it the backend is not read.
	maxInputs = 256
	// maxInput bounds an input, in bytes; the daemon has another bound.
	maxInput = 3 << 20
	// keyVersion is the version of the UUIDs that are keys of inputs; those of other clients are random.
	keyVersion = 5
)

// input is a prompt of the backend that the session does not have yet, or that is not acknowledged.
type input struct {
	seq      int64
	numbered bool // it gets an acknowledgement
	key      string
	client   *wire.UUID // the page's id
	text     string
	repeat   bool // repeat until the agent reports that it is done
	done     bool // accepted or refused
	again    bool // a temporary error: send it again
}

// namespace of the keys of inputs.
var namespace = uuid.MustParse("9d1c3c52-7f0e-5d0f-9a55-6a4a1c3c5b0e")

// keyOf returns the idempotency key of an input, which is the same for repetitions. The text is part of
// it, because a backend that has lost its state counts from 1 again. The id of the page is not part of it,
// because backends of G3 omit it when they repeat an input from their store.
func (l *link) keyOf(seq int64, text string) string {
	raw, err := json.Marshal([]string{l.Backend, l.Session, strconv.FormatInt(seq, 10), text})
	if err != nil {
		panic("proxy: " + err.Error()) // impossible: strings can be encoded
	}
	return uuid.NewSHA1(namespace, raw).String()
}

// full reports whether the backend must wait until the daemon has accepted inputs.
func (l *link) full() bool { return len(l.inputs) >= maxInputs }

// sequenced handles a numbered input.
func (l *link) sequenced(m wire.SequencedInput) {
	if string(m.SessionID) != l.Session || m.Seq < 1 {
		return
	}
	if slices.ContainsFunc(l.inputs, func(i *input) bool { return i.numbered && i.seq == m.Seq }) {
		return // the input is pending
	}
	text := wire.Prompt(m.Content)
	l.enter(&input{seq: m.Seq, numbered: true, key: l.keyOf(m.Seq, text), client: m.ClientMsgID, text: text}, m.SendMode)
}

// enter handles one input.
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
		m.Repeat = &pb.Repeat{} // with the default limit and marker, like the reference
	}
	l.do(ask{&pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: m}}})
}

// accepted records that the session has an input.
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

// refuse shows people a note about a refused input. The input is acknowledged, so that the backend
// does not repeat it later.
func (l *link) refuse(i *input, why string) {
	l.note("%s", why)
	l.finish(i, wire.StageFailed)
}

// finish marks an input as done, and acknowledges all before the first pending one.
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

// temporary lists codes of errors after which the same input may be accepted.
var temporary = []string{"UNAVAILABLE", "DAEMON_STOPPING", "ABORTED", "DEADLINE_EXCEEDED"}

// failed handles an error about a request.
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
		l.queue.Again() // the backend has dropped the request after its answer
	}
	if e.GetMessage() != "" {
		l.note("%s", e.GetMessage())
	}
}

// retry sends inputs again after a temporary error.
func (l *link) retry() {
	for _, i := range l.inputs {
		if i.again {
			l.send(i)
		}
	}
}
