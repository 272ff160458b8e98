package queries

import (
	"slices"

	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/session/requests"
	"betcode/messages"
)

// An answer that comes twice succeeds without effect. A session has the decisions of its last
// requests in memory. The decisions from before a crash are found in the journal: each leaves a
// key with the number of the last event of its append.

// decisionEvents is how far before the number under its key a decision is looked
// for: an append in which a person decides is short.
const decisionEvents = 16

// decisionBytes bounds the same in bytes.
const decisionBytes = 128 << 10

// Decided finds in the journal how a request was decided.
func (q *Queries) Decided(session messages.SessionID, id messages.RequestID) (messages.PermissionAnswered, bool) {
	none := messages.PermissionAnswered{}
	at, seen, err := q.deps.Store.Seen(session, requests.DecisionKey(id))
	if err != nil || !seen {
		return none, false
	}
	events, err := q.deps.Store.Events(session, at-min(at, decisionEvents), decisionEvents, decisionBytes)
	if err != nil {
		return none, false
	}
	for _, e := range events {
		var event pb.AgentEvent
		if err := proto.Unmarshal(e.Bytes, &event); err != nil || !resolves(event.GetPermissionResolved(), string(id)) {
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

// resolves reports whether an event is the end of a request, by its id or one
// that it had before.
func resolves(r *pb.PermissionResolved, id string) bool {
	return r.GetRequestId() == id || slices.Contains(r.GetFormerly(), id)
}

// decisionOf is the decision in an event; Undecided for one that no answer has made.
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
