package client

import (
	"testing"

	"betcode/messages"
)

// A replay ends at the head, in every state of the session.
func TestReplayEndsAtTheHead(t *testing.T) {
	for name, follow := range map[string]messages.Follow{"replay": messages.FollowReplay, "turn": messages.FollowTurn} {
		s, _ := State{Session: "s", Follow: follow, Cursor: 2, Head: 3}.begin()
		if s.ended {
			t.Errorf("%s: ended before the head", name)
		}
		s, _ = s.step(messages.HistoryRead{Events: []messages.Event{{Seq: 3}}})
		if s.ended != (follow == messages.FollowReplay) {
			t.Errorf("%s: ended %v while a turn runs", name, s.ended)
		}
	}
}
