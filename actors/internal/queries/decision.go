package queries

import (
	"slices"

	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/session/requests"
	"betcode/messages"
)

// A repeated answer succeeds without effect. A session has the decisions of its last
// requests in memory. Decisions from before a crash are found in the journal: each leaves a
// key with the number of the last event of its append.

// decisionEvents is how many events before the number under its key are searched for a
// decision, because an append with a decision of a person is short.
const decisionEvents = 16

// decisionBytes bounds the same search in bytes.
const decisionBytes = 128 << 10

// Decided returns the journaled decision of a request.
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

// decisionOf returns the decision in an event; Undecided if no answer made it.
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
