package actors

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/session/prompts"
	"betcode/actors/session/requests"
	"betcode/messages"
)

// An answer that comes twice succeeds without effect. Who decided the last requests
// is in a session's memory; what was decided before a crash is found in the journal:
// a decision leaves a key with the number of the last event of its append.

// decisionEvents is how far before the number under its key a decision is looked
// for: an append in which a person decides is short.
const decisionEvents = 16

// decisionBytes bounds the same in bytes.
const decisionBytes = 128 << 10

// answerPermission asks the session, and the journal where that knows nothing any
// more. r is the answer m, or that under a key.
func (s *System) answerPermission(ctx context.Context, r messages.Request, m messages.AnswerPermission) (messages.Reply, error) {
	if err := s.checkEdit(m); err != nil {
		return nil, err
	}
	answer, err := s.askOnce(ctx, r)
	if answered, ok := answer.(messages.PermissionAnswered); ok {
		s.lately.add(m.Session, prompts.RequestOf(cmp.Or(answered.Request, m.Request)))
	}
	var stale *messages.Error
	if errors.As(err, &stale) && stale.Code == messages.PermissionStale {
		switch before, found := s.decidedBefore(m.Session, prompts.RequestOf(m.Request)); {
		case found && before.Decision == messages.DecisionExpired:
			return nil, requests.Expired(prompts.RequestOf(m.Request), before.At)
		case found:
			return before, nil
		}
	}
	return answer, err
}

// decidedBefore finds out how a request was decided.
func (s *System) decidedBefore(session messages.SessionID, id messages.RequestID) (messages.PermissionAnswered, bool) {
	none := messages.PermissionAnswered{}
	at, seen, err := s.options.Store.Seen(session, requests.DecisionKey(id))
	if err != nil || !seen {
		return none, false
	}
	events, err := s.options.Store.Events(session, at-min(at, decisionEvents), decisionEvents, decisionBytes)
	if err != nil {
		return none, false
	}
	for _, e := range events {
		var event pb.AgentEvent
		if err := proto.Unmarshal(e.Bytes, &event); err != nil || !settles(event.GetPermissionResolved(), string(id)) {
			continue
		}
		if decision := decisionOf(event.GetPermissionResolved()); decision != messages.Undecided {
			return messages.PermissionAnswered{
				By: event.GetPermissionResolved().GetResolvedBy(), Decision: decision, At: event.GetTimestamp().AsTime(),
			}, true
		}
	}
	return none, false
}

// settles reports whether an event tells of the end of a request, by its id or one
// that it had before.
func settles(r *pb.PermissionResolved, id string) bool {
	return r.GetRequestId() == id || slices.Contains(r.GetFormerly(), id)
}

// decisionOf is the decision that an event tells of; Undecided for one that no
// answer has made.
func decisionOf(r *pb.PermissionResolved) messages.Decision {
	switch r.GetReason() {
	case "client":
		return messages.Decision(r.GetDecision())
	case "withdrawn":
		return messages.DecisionWithdrawn
	case "expired":
		return messages.DecisionExpired
	}
	return messages.Undecided
}
