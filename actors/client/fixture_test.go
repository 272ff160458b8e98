package client

import (
	"fmt"
	"strings"
	"testing"

	"betcode/actors/internal/act"
	"betcode/actors/internal/encode"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// clientStep is one message to a client and the effects that it causes, as
// [showClient] writes them.
type clientStep struct {
	in   any
	want string
}

// attached is the first step: not a message, but the step of the actor in Started.
type attachedNow struct{}

// refuse reports that the outbox does not take the push that the step before asked
// for, nor anything behind it.
type refuse struct{}

func showClient(effects []act.Effect) string {
	var words []string
	for _, e := range effects {
		switch e := e.(type) {
		case push:
			words = append(words, "push "+showEvents(e.events))
		case readLog:
			words = append(words, fmt.Sprintf("read >%d", e.after))
		case endSink:
			if e.reason != nil {
				words = append(words, "end: "+e.reason.Error())
				continue
			}
			words = append(words, "end")
		case dropSink:
			words = append(words, "drop "+string(messages.AsError("", e.reason).Code))
		case reportEnd:
			words = append(words, "gone")
		case reportCaughtUp:
			words = append(words, "caught up")
		}
	}
	return strings.Join(words, ", ")
}

// news is a Published with the events from first to last, which are the newest.
func news(first, last messages.Seq) messages.Published {
	return messages.Published{Events: numbered(first, last), Head: last}
}

func ended(p messages.Published) messages.Published { p.Progress = messages.Quiescent; return p }

func piece(first, last messages.Seq) messages.HistoryRead {
	return messages.HistoryRead{Events: numbered(first, last)}
}

func lockEvents() messages.Published { return messages.Published{Events: fleeting("lock")} }

var drained = messages.OutboxDrained{}

func walkClient(t *testing.T, s State, steps []clientStep) {
	t.Helper()
	var effects []act.Effect
	for i, step := range steps {
		switch in := step.in.(type) {
		case attachedNow:
			s, effects = s.begin()
		case refuse:
			for _, first := effects[0].(push); !first; _, first = effects[0].(push) {
				effects = effects[1:]
			}
			s, effects = s.step(pushRefused{effects})
		default:
			s, effects = s.step(in)
		}
		if got := showClient(effects); got != step.want {
			t.Fatalf("step %d, %+v:\ngot  %q\nwant %q", i+1, step.in, got, step.want)
		}
	}
}

// snapshotOf is a snapshot of a session with a model, without a number.
func snapshotOf(model string) []messages.Event {
	info := &pb.AgentEvent{Event: &pb.AgentEvent_SessionInfo{SessionInfo: &pb.SessionInfo{Model: model}}}
	return []messages.Event{encode.Event(info, "s", 0, dawn)}
}
