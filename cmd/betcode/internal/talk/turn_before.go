package talk

import (
	"context"
	"slices"
	"time"

	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

// A message that is sent while a turn runs waits for that turn. What that turn asks is decided by its own people, and not by the
// policy of the run whose message waits. Events do not tell which turn asks, so the daemon is asked.

// behindPatience bounds one question to the daemon: one that does not answer must not hold up a Ctrl-C.
const behindPatience = time.Second

// behind reports whether the message waits for the turn of another one.
func (r *unattended) behind(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, behindPatience)
	defer cancel()
	view, err := r.client.Admin.ShowSession(ctx, &pb.ShowSessionRequest{SessionId: r.conv.Session()})
	if err != nil {
		return false, err
	}
	return behindOthers(view.GetInputs(), r.turn.key), nil
}

// behindOthers reports whether an earlier message than that with the key is pending.
func behindOthers(pending []*pb.PendingInput, key string) bool {
	own := slices.IndexFunc(pending, func(i *pb.PendingInput) bool { return i.GetIdempotencyKey() == key })
	return own >= 0 && slices.ContainsFunc(pending, func(i *pb.PendingInput) bool { return i.GetSequence() < pending[own].GetSequence() })
}

// unassigned has the requests of which the daemon has not told whether they are of this run's turn.
type unassigned struct {
	events []*pb.AgentEvent
	due    <-chan time.Time // when to ask again
	named  string           // the request of another turn that was reported last
}

// take returns and removes the events.
func (u *unassigned) take() []*pb.AgentEvent {
	events := u.events
	u.events, u.due = nil, nil
	return events
}

// resolve removes a request that no longer waits.
func (u *unassigned) resolve(request string) {
	u.events = slices.DeleteFunc(u.events, func(e *pb.AgentEvent) bool { return requestOf(e) == request })
}

// assign applies events to the turn and sends the answers, except to requests that the policy would decide for another turn.
func (r *unattended) assign(ctx context.Context, events []*pb.AgentEvent) {
	for _, e := range events {
		r.unassigned.resolve(e.GetPermissionResolved().GetRequestId())
		if request := r.turn.decides(e); request != "" {
			behind, err := r.behind(ctx)
			if err != nil {
				r.unassigned.events, r.unassigned.due = append(r.unassigned.events, e), time.After(behindPatience)
				continue
			}
			if behind {
				r.sayBehind(request)
				continue
			}
		}
		for _, answer := range r.turn.event(e) {
			r.conv.Send(answer)
		}
	}
}

// sayBehind reports once that the message waits for a turn that waits for a person. A request may have several questions.
func (r *unattended) sayBehind(request string) {
	if r.unassigned.named == request {
		return
	}
	r.unassigned.named = request
	r.say("The turn before waits for an answer to %s, and this message waits for that turn: betcode permission list", console.ShortID(request))
}
