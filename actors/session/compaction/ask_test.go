package compaction

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"betcode/messages"
)

func TestCompactionWaitsForTheAgentToRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, asked := time.Now(), 0
		settling := messages.Errorf("compact session", messages.WrongState, "active").With(DetailSettling, "true")
		_, err := Ask(t.Context(), func() (messages.Reply, error) {
			if asked++; asked < 4 {
				return nil, settling
			}
			return messages.Done{}, nil
		})
		if err != nil || asked != 4 {
			t.Errorf("asked %d times: %v", asked, err)
		}
		if _, err = Ask(t.Context(), func() (messages.Reply, error) { return nil, settling }); messages.KindOf(err) != messages.WrongState {
			t.Errorf("the wait did not end: %v", err)
		}
		if waited := time.Since(began); waited < settlingPatience || waited > 2*settlingPatience {
			t.Errorf("waited %s", waited)
		}
		asked = 0
		if _, err = Ask(t.Context(), func() (messages.Reply, error) {
			asked++
			return nil, messages.Errorf("compact session", messages.WrongState, "active")
		}); err == nil || asked != 1 {
			t.Errorf("a turn that runs: asked %d times, %v", asked, err)
		}
		left, leave := context.WithCancel(t.Context())
		leave()
		if _, err = Ask(left, func() (messages.Reply, error) { return nil, settling }); err == nil {
			t.Error("the wait goes on after its caller has left")
		}
	})
}

func TestActiveError(t *testing.T) {
	for settling, want := range map[bool]string{true: "true", false: ""} {
		e := ActiveError("compact session", "s1", settling)
		if e.Kind != messages.WrongState || e.Code != messages.SessionActive || e.Details["session_id"] != "s1" || e.Hint == "" || e.Details[DetailSettling] != want {
			t.Errorf("settling %v: %+v", settling, e)
		}
	}
}
