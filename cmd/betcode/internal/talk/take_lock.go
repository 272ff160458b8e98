package talk

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	pb "betcode/proto/betcode/v1"
)

// lockRequest requests the input lock from its holder, once, and sends the prompt when the lock is granted.
type lockRequest struct {
	wanted   bool // --take-lock
	asked    bool
	answered chan lockAnswer
}

type lockAnswer struct {
	response *pb.InputLockResponse
	err      error
}

// takes reports whether an event refuses the prompt because another client holds the lock, and this run asks for it.
func (l *lockRequest) takes(t *turn, e *pb.AgentEvent) bool {
	f := e.GetError()
	return l.wanted && !l.asked && !t.accepted && f.GetCode() == noInputLock && f.GetDetails()["idempotency_key"] == t.key
}

// takeLock requests the lock in a goroutine, which ends with the run.
func (r *unattended) takeLock(ctx context.Context, e *pb.AgentEvent) {
	r.lock.asked, r.lock.answered = true, make(chan lockAnswer, 1)
	r.say("Asking %s for the input lock.", holderOf(r.client.ID(), e.GetError()))
	r.asking.Go(func() {
		response, err := r.client.Agent.RequestInputLock(ctx, &pb.InputLockRequest{SessionId: r.conv.Session()})
		r.lock.answered <- lockAnswer{response, err}
	})
}

// lockAnswered sends the prompt if the lock was given, and returns why it was not.
func (r *unattended) lockAnswered(a lockAnswer) error {
	switch {
	case a.err != nil:
		return a.err
	case a.response.GetGranted():
		r.send()
		return nil
	}
	return exit.With(exit.Denied, fmt.Errorf("%s keeps the input lock of session %s. Try again later, or watch: betcode attach --read-only %[2]s",
		console.OrNobody(console.ClientTo(r.client.ID(), a.response.GetPreviousHolder())), console.ShortID(r.conv.Session())))
}

const noInputLock = "NO_INPUT_LOCK"

// holderOf names the client that holds the lock, for a person at the client reader.
func holderOf(reader string, f *pb.ErrorEvent) string {
	if holder := f.GetDetails()["holder_client_id"]; holder != "" {
		return console.ClientTo(reader, holder)
	}
	return "another client"
}

// refusedByLock returns the error of a prompt that was refused because another client holds the lock.
func refusedByLock(reader string, f *pb.ErrorEvent) error {
	text := strings.TrimSuffix(console.Line(f.GetMessage()), ".")
	if holder := f.GetDetails()["holder_client_id"]; holder != "" && !strings.Contains(text, console.Client(holder)) {
		text += ". The holder is " + holderOf(reader, f)
	}
	return exit.With(exit.Denied, errors.New(text+". To ask for the lock, add --take-lock"))
}
