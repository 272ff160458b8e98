package compaction

import (
	"context"
	"errors"
	"time"

	"betcode/messages"
)

// DetailSettling marks a refusal whose cause is over within moments: the turn is over, and the agent has not reported yet that it
// is idle.
const DetailSettling = "settling"

// How long a compaction waits for such an agent, and how often it is asked for meanwhile.
const (
	settlingPatience = 5 * time.Second
	settlingPause    = 20 * time.Millisecond
)

// Ask asks a session for a compaction, and again while it is refused because the agent is about to become idle. It runs on the
// caller's goroutine.
func Ask(ctx context.Context, ask func() (messages.Reply, error)) (messages.Reply, error) {
	deadline := time.Now().Add(settlingPatience)
	for {
		answer, err := ask()
		var refusal *messages.Error
		if !errors.As(err, &refusal) || refusal.Details[DetailSettling] == "" || time.Now().After(deadline) {
			return answer, err
		}
		select {
		case <-time.After(settlingPause):
		case <-ctx.Done():
			return answer, err
		}
	}
}

// ActiveError refuses to compact a session that is at work; settling says that only the agent's own end of its turn is missing.
func ActiveError(op string, id messages.SessionID, settling bool) *messages.Error {
	e := messages.Errorf(op, messages.WrongState, "session has active turn").WithCode(messages.SessionActive).
		With("session_id", string(id)).With("required_state", "idle").WithHint("wait for the turn to complete, answer what waits for an answer, or cancel it")
	if settling {
		e = e.With(DetailSettling, "true")
	}
	return e
}
