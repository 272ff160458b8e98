package client

import (
	"testing"

	"betcode/messages"
)

func TestClientThatFollowsOneTurn(t *testing.T) {
	for _, c := range []struct {
		name  string
		state State
		steps []clientStep
	}{
		{"nothing runs: the history is all", State{Head: 2, Progress: messages.Quiescent}, []clientStep{
			{attachedNow{}, "read >0"},
			{piece(1, 2), "push 1-2, end, gone"},
			{news(3, 3), ""},
		}},
		{"nothing runs and there is no history", State{Progress: messages.Quiescent}, []clientStep{
			{attachedNow{}, "end, gone"},
		}},
		{"a person has to act: the prompts, then the end", State{Head: 2, Progress: messages.Awaiting, Prompts: fleeting("ask")}, []clientStep{
			{attachedNow{}, "read >0"},
			{piece(1, 2), "push 1-2, push ask, end, gone"},
		}},
		{"a turn runs: until it is over", State{Head: 2}, []clientStep{
			{attachedNow{}, "read >0"},
			{piece(1, 2), "push 1-2"},
			{news(3, 3), "push 3"},
			{lockEvents(), "push lock"},
			{ended(news(4, 4)), "push 4, end, gone"},
		}},
		{"the turn ends while catching up", State{Head: 2}, []clientStep{
			{attachedNow{}, "read >0"},
			{ended(news(3, 4)), ""},
			{piece(1, 2), "push 1-2, read >2"},
			{piece(3, 4), "push 3-4, end, gone"},
		}},
		{"the next turn begins while catching up", State{Head: 2}, []clientStep{
			{attachedNow{}, "read >0"},
			{ended(news(3, 4)), ""},
			{news(5, 5), ""},
			{piece(1, 5), "push 1-5"},
			{ended(news(6, 6)), "push 6, end, gone"},
		}},
		{"the last events do not fit", State{Cursor: 2, Head: 2}, []clientStep{
			{attachedNow{}, ""},
			{ended(news(3, 4)), "push 3-4, end, gone"},
			{refuse{}, ""},
			{drained, "push lagging, read >2"},
			{piece(3, 4), "push 3-4, end, gone"},
			{drained, ""},
		}},
		{"the last piece does not fit", State{Head: 2, Progress: messages.Quiescent}, []clientStep{
			{attachedNow{}, "read >0"},
			{piece(1, 2), "push 1-2, end, gone"},
			{refuse{}, ""},
			{drained, "read >0"},
			{piece(1, 2), "push 1-2, end, gone"},
		}},
		{"an end with a fleeting event", State{Cursor: 2, Head: 2}, []clientStep{
			{attachedNow{}, ""},
			{ended(lockEvents()), "push lock, end, gone"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.state.Follow = messages.FollowTurn
			walkClient(t, c.state, c.steps)
		})
	}
}

// A client that sends no more requests keeps its stream until the session is quiescent and
// the head was pushed. A turn that waits for a person is not quiescent.
func TestClientThatSendsNoMore(t *testing.T) {
	for _, c := range []struct {
		name  string
		state State
		steps []clientStep
	}{
		{"quiescent at the head", State{Cursor: 2, Head: 2, Progress: messages.Quiescent}, []clientStep{
			{attachedNow{}, ""},
			{messages.Finish{}, "end, gone"},
			{messages.Finish{}, ""},
			{news(3, 3), ""},
		}},
		{"quiescent while catching up", State{Head: 2, Progress: messages.Quiescent}, []clientStep{
			{attachedNow{}, "read >0"},
			{messages.Finish{}, ""},
			{piece(1, 2), "push 1-2, end, gone"},
		}},
		{"a turn runs", State{Cursor: 2, Head: 2}, []clientStep{
			{attachedNow{}, ""},
			{messages.Finish{}, ""},
			{news(3, 3), "push 3"},
			{awaiting(news(4, 4)), "push 4"},
			{news(5, 5), "push 5"},
			{ended(news(6, 6)), "push 6, end, gone"},
		}},
		{"a change without an event", State{Cursor: 2, Head: 2}, []clientStep{
			{attachedNow{}, ""},
			{messages.Finish{}, ""},
			{ended(messages.Published{}), "end, gone"},
		}},
		{"history is missing up to the head", State{Head: 2, Progress: messages.Quiescent}, []clientStep{
			{attachedNow{}, "read >0"},
			{messages.Finish{}, ""},
			{messages.HistoryRead{}, "push , end, gone"},
		}},
		{"the last events do not fit", State{Cursor: 2, Head: 2}, []clientStep{
			{attachedNow{}, ""},
			{messages.Finish{}, ""},
			{ended(news(3, 4)), "push 3-4, end, gone"},
			{refuse{}, ""},
			{drained, "push lagging, read >2"},
			{piece(3, 4), "push 3-4, end, gone"},
		}},
		{"finished while the outbox is full", State{Cursor: 2, Head: 2}, []clientStep{
			{attachedNow{}, ""},
			{ended(news(3, 4)), "push 3-4"},
			{refuse{}, ""},
			{messages.Finish{}, ""},
			{drained, "push lagging, read >2"},
			{piece(3, 4), "push 3-4, end, gone"},
		}},
		{"attached again after it was finished", State{Cursor: 2, Head: 2, Follow: messages.FollowAnswers}, []clientStep{
			{attachedNow{}, ""},
			{ended(news(3, 3)), "push 3, end, gone"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) { walkClient(t, c.state, c.steps) })
	}
}

func awaiting(p messages.Published) messages.Published { p.Progress = messages.Awaiting; return p }
