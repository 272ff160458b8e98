package actors

import (
	"testing"

	"betcode/messages"
)

func TestClientThatFollowsOneTurn(t *testing.T) {
	for _, c := range []struct {
		name  string
		state clientState
		steps []clientStep
	}{
		{"nothing runs: the history is all", clientState{head: 2, settled: true}, []clientStep{
			{attachedNow{}, "read >0"},
			{piece(1, 2), "push 1-2, end, gone"},
			{news(3, 3), ""},
		}},
		{"nothing runs and there is no history", clientState{settled: true}, []clientStep{
			{attachedNow{}, "end, gone"},
		}},
		{"somebody is waited for: the prompts, then the end", clientState{head: 2, settled: true, prompts: fleeting("ask")}, []clientStep{
			{attachedNow{}, "read >0"},
			{piece(1, 2), "push 1-2, push ask, end, gone"},
		}},
		{"a turn runs: until it is over", clientState{head: 2}, []clientStep{
			{attachedNow{}, "read >0"},
			{piece(1, 2), "push 1-2"},
			{news(3, 3), "push 3"},
			{lockEvents(), "push lock"},
			{ended(news(4, 4)), "push 4, end, gone"},
		}},
		{"the turn ends while catching up", clientState{head: 2}, []clientStep{
			{attachedNow{}, "read >0"},
			{ended(news(3, 4)), ""},
			{piece(1, 2), "push 1-2, read >2"},
			{piece(3, 4), "push 3-4, end, gone"},
		}},
		{"the next turn begins while catching up", clientState{head: 2}, []clientStep{
			{attachedNow{}, "read >0"},
			{ended(news(3, 4)), ""},
			{news(5, 5), ""},
			{piece(1, 5), "push 1-5"},
			{ended(news(6, 6)), "push 6, end, gone"},
		}},
		{"the last events do not fit", clientState{cursor: 2, head: 2}, []clientStep{
			{attachedNow{}, ""},
			{ended(news(3, 4)), "push 3-4, end, gone"},
			{refuse{}, ""},
			{drained, "push lagging, read >2"},
			{piece(3, 4), "push 3-4, end, gone"},
			{drained, ""},
		}},
		{"the last piece does not fit", clientState{head: 2, settled: true}, []clientStep{
			{attachedNow{}, "read >0"},
			{piece(1, 2), "push 1-2, end, gone"},
			{refuse{}, ""},
			{drained, "read >0"},
			{piece(1, 2), "push 1-2, end, gone"},
		}},
		{"an end that is told by a fleeting event", clientState{cursor: 2, head: 2}, []clientStep{
			{attachedNow{}, ""},
			{ended(lockEvents()), "push lock, end, gone"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.state.follow = messages.FollowTurn
			walkClient(t, c.state, c.steps)
		})
	}
}
