package client

import (
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"

	"betcode/actors/internal/act"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

func TestClientState(t *testing.T) {
	hello, asks := fleeting("info"), fleeting("ask")
	snapshot := snapshotOf("")
	for _, c := range []struct {
		name  string
		state State
		steps []clientStep
	}{
		{"an empty session is followed at once", State{Greeting: hello}, []clientStep{
			{attachedNow{}, "push info"},
			{news(1, 2), "push 1-2"},
			{news(3, 3), "push 3"},
		}},
		{"the past in pieces, then what comes", State{Greeting: hello, Head: 5}, []clientStep{
			{attachedNow{}, "push info, read >0"},
			{piece(1, 3), "push 1-3, read >3"},
			{piece(4, 5), "push 4-5"},
			{news(6, 6), "push 6"},
		}},
		{"what comes meanwhile is read, not pushed", State{Head: 2}, []clientStep{
			{attachedNow{}, "read >0"},
			{news(3, 4), ""},
			{piece(1, 2), "push 1-2, read >2"},
			{news(5, 5), ""},
			{piece(3, 4), "push 3-4, read >4"},
			{piece(5, 5), "push 5"},
			{news(6, 7), "push 6-7"},
		}},
		{"a piece may hold more than was known", State{Head: 2}, []clientStep{
			{attachedNow{}, "read >0"},
			{piece(1, 4), "push 1-4"},
			{news(3, 4), ""},
			{news(5, 5), "push 5"},
		}},
		{"from a number", State{Cursor: 3, Head: 5}, []clientStep{
			{attachedNow{}, "read >3"},
			{piece(4, 5), "push 4-5"},
		}},
		{"only what comes", State{Cursor: 5, Head: 5, Greeting: hello}, []clientStep{
			{attachedNow{}, "push info"},
			{news(6, 6), "push 6"},
		}},
		{"undecided prompts come at the head", State{Head: 2, Greeting: hello, Prompts: asks}, []clientStep{
			{attachedNow{}, "push info, read >0"},
			{piece(1, 2), "push 1-2, push ask"},
			{news(3, 3), "push 3"},
		}},
		{"undecided prompts at once when there is no past", State{Cursor: 2, Head: 2, Prompts: asks}, []clientStep{
			{attachedNow{}, "push ask"},
		}},
		{"a missing number is read", State{Cursor: 5, Head: 5}, []clientStep{
			{attachedNow{}, ""},
			{news(8, 9), "read >5"},
			{piece(6, 9), "push 6-9"},
			{news(10, 10), "push 10"},
		}},
		{"news that are known already are dropped", State{Cursor: 5, Head: 5}, []clientStep{
			{attachedNow{}, ""},
			{news(4, 5), ""},
			{news(4, 7), "push 6-7"},
			{messages.Published{Events: append(fleeting("note"), numbered(6, 8)...), Head: 8}, "push note 8"},
		}},
		{"lagging: the refused events are read later", State{Cursor: 5, Head: 5}, []clientStep{
			{attachedNow{}, ""},
			{news(6, 8), "push 6-8"},
			{refuse{}, ""},
			{news(9, 9), ""},
			{lockEvents(), ""},
			{drained, "push lagging, read >5"},
			{piece(6, 9), "push 6-9, caught up"},
			{news(10, 10), "push 10"},
		}},
		{"lagging while catching up", State{Head: 9}, []clientStep{
			{attachedNow{}, "read >0"},
			{piece(1, 4), "push 1-4, read >4"},
			{refuse{}, ""},
			{drained, "read >0"},
			{piece(1, 4), "push 1-4, read >4"},
			{piece(5, 9), "push 5-9"},
		}},
		{"lagging at the last piece", State{Head: 4, Prompts: asks}, []clientStep{
			{attachedNow{}, "read >0"},
			{piece(1, 4), "push 1-4, push ask"},
			{refuse{}, ""},
			{drained, "read >0"},
			{piece(1, 4), "push 1-4, push ask"},
		}},
		{"the prompts alone do not fit", State{Cursor: 4, Head: 4, Prompts: asks}, []clientStep{
			{attachedNow{}, "push ask"},
			{refuse{}, ""},
			{drained, "push ask"},
			{refuse{}, ""},
			{news(5, 5), ""},
			{drained, "read >4"},
			{piece(5, 5), "push 5, push ask"},
		}},
		{"fleeting events are shown while catching up", State{Head: 2}, []clientStep{
			{attachedNow{}, "read >0"},
			{lockEvents(), "push lock"},
			{piece(1, 2), "push 1-2"},
			{lockEvents(), "push lock"},
		}},
		{"a refused fleeting event is lost, and nothing else", State{Head: 2}, []clientStep{
			{attachedNow{}, "read >0"},
			{lockEvents(), "push lock"},
			{refuse{}, ""},
			{piece(1, 2), "push 1-2"},
			{refuse{}, ""},
			{drained, "read >0"},
			{piece(1, 2), "push 1-2, caught up"},
		}},
		{"a refused fleeting event of a live client", State{Cursor: 2, Head: 2}, []clientStep{
			{attachedNow{}, ""},
			{lockEvents(), "push lock"},
			{refuse{}, ""},
			{news(3, 3), ""},
			{drained, "push lagging, read >2"},
			{piece(3, 3), "push 3, caught up"},
		}},
		{"the word that it lags does not fit", State{Cursor: 5, Head: 5}, []clientStep{
			{attachedNow{}, ""},
			{news(6, 8), "push 6-8"},
			{refuse{}, ""},
			{drained, "push lagging, read >5"},
			{refuse{}, ""},
			{drained, "push lagging, read >5"},
			{piece(6, 8), "push 6-8"},
		}},
		{"nothing is read for an hour", State{Cursor: 5, Head: 5}, []clientStep{
			{attachedNow{}, ""},
			{news(6, 8), "push 6-8"},
			{refuse{}, ""},
			{news(9, 9), ""},
			{stillFull{}, "drop CLIENT_TOO_SLOW, gone"},
			{drained, ""},
		}},
		{"something is read within the hour", State{Cursor: 5, Head: 5}, []clientStep{
			{attachedNow{}, ""},
			{news(6, 8), "push 6-8"},
			{refuse{}, ""},
			{drained, "push lagging, read >5"},
			{piece(6, 8), "push 6-8"},
			{refuse{}, ""},
			{stillFull{taken: true}, ""}, // and checks again in an hour
			{stillFull{}, "drop CLIENT_TOO_SLOW, gone"},
		}},
		{"it has caught up within the hour", State{Cursor: 5, Head: 5}, []clientStep{
			{attachedNow{}, ""},
			{news(6, 8), "push 6-8"},
			{refuse{}, ""},
			{drained, "push lagging, read >5"},
			{piece(6, 8), "push 6-8"},
			{stillFull{taken: true}, ""},
			{news(9, 9), "push 9"},
		}},
		{"a history that begins late", State{Head: 9, snapshot: snapshot}, []clientStep{
			{attachedNow{}, "read >0"},
			{piece(7, 9), "push gap, push 7-9"},
		}},
		{"a history that is gone", State{Cursor: 3, Head: 9, snapshot: snapshot}, []clientStep{
			{attachedNow{}, "read >3"},
			{messages.HistoryRead{}, "push gap"},
			{news(10, 10), "push 10"},
		}},
		{"what stands for lost history does not fit", State{Head: 9, snapshot: snapshot}, []clientStep{
			{attachedNow{}, "read >0"},
			{piece(7, 9), "push gap, push 7-9"},
			{refuse{}, ""},
			{drained, "read >0"},
			{piece(7, 9), "push gap, push 7-9"},
		}},
		{"a journal that cannot be read ends the stream", State{Head: 9}, []clientStep{
			{attachedNow{}, "read >0"},
			{messages.HistoryRead{Err: errors.New("broken")}, "end: broken, gone"},
			{news(10, 10), ""},
			{drained, ""},
		}},
		{"an outbox drains although the stream does not lag", State{Head: 9}, []clientStep{
			{attachedNow{}, "read >0"},
			{drained, ""},
			{piece(1, 9), "push 1-9"},
			{drained, ""},
		}},
	} {
		t.Run(c.name, func(t *testing.T) { walkClient(t, c.state, c.steps) })
	}
}

// The part of the greeting that a client keeps does not grow with the number of other clients.
func TestWhoIsThereIsNotKept(t *testing.T) {
	s, effects := State{Greeting: append(fleeting("info"), fleeting("lock")...)}.begin()
	if len(s.Greeting) != 0 || showEvents(s.snapshot) != "info" || showClient(effects[:1]) != "push info lock" {
		t.Errorf("keeps %s of %s", showEvents(s.snapshot), showClient(effects))
	}
}

// A client whose cursor precedes the rest of the history gets the snapshot, once
// and first, whatever does not fit meanwhile.
func TestHistoryThatIsGone(t *testing.T) {
	greeting := snapshotOf("m")
	isCompacted := func(e act.Effect) bool {
		p, ok := e.(push)
		if !ok || len(p.events) != 1 {
			return false
		}
		var event pb.AgentEvent
		if err := proto.Unmarshal(p.events[0].Bytes, &event); err != nil {
			t.Fatal(err)
		}
		return event.GetSessionInfo().GetIsCompacted() && event.GetSessionInfo().GetModel() == "m" && event.GetSequence() == 0
	}
	s, effects := State{Cursor: 2, Head: 9, Greeting: greeting}.begin()
	if showClient(effects[1:]) != "read >2" || isCompacted(effects[0]) {
		t.Fatalf("begins with %s", showClient(effects))
	}
	s, effects = s.step(piece(6, 8))
	if len(effects) != 3 || !isCompacted(effects[0]) || showClient(effects[1:]) != "push 6-8, read >8" {
		t.Fatalf("does %s", showClient(effects))
	}
	again, _ := s.step(pushRefused{effects}) // neither fits
	if again, effects = again.step(drained); showClient(effects) != "read >2" {
		t.Errorf("then %s", showClient(effects))
	}
	if _, effects = again.step(piece(6, 8)); !isCompacted(effects[0]) {
		t.Errorf("then %s", showClient(effects))
	}
	if s, effects = s.step(piece(9, 9)); showClient(effects) != "push 9" || !s.live {
		t.Errorf("at the end %s", showClient(effects))
	}
	s, _ = State{Cursor: 2, Head: 9, Greeting: greeting}.begin() // all history was dropped
	if s, effects = s.step(messages.HistoryRead{}); len(effects) != 1 || !isCompacted(effects[0]) || !s.live || s.Cursor != 9 {
		t.Errorf("without any history: %s", showClient(effects))
	}
}
