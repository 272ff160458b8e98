package actors

import (
	"context"
	"errors"
	"time"

	"betcode/actors/session"
	"betcode/messages"
)

// How long a compaction waits for an agent whose turn is over and that has not said
// yet that it rests, and how often it is asked for meanwhile.
const (
	compactPatience = 5 * time.Second
	compactPause    = 20 * time.Millisecond
)

// compactWaiting asks for a compaction, again while the agent is about to rest. It runs on the
// caller's goroutine.
func compactWaiting(ctx context.Context, ask func() (messages.Reply, error)) (messages.Reply, error) {
	deadline := time.Now().Add(compactPatience)
	for {
		answer, err := ask()
		var refusal *messages.Error
		if !errors.As(err, &refusal) || refusal.Details[session.DetailSettling] == "" || time.Now().After(deadline) {
			return answer, err
		}
		select {
		case <-time.After(compactPause):
		case <-ctx.Done():
			return answer, err
		}
	}
}
