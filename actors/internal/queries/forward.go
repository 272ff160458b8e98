package queries

import (
	"slices"

	"betcode/messages"
)

// maxGenerations bounds how far up a request is followed: settings allow at most ten generations above a subagent.
const maxGenerations = 16

// ForwardsTo reports whether the clients of a session get the requests of a subagent: the subagent and every session between the
// two forward theirs.
func (q *Queries) ForwardsTo(subagent, session messages.SessionID) (bool, error) {
	for range maxGenerations {
		loaded, err := q.deps.Store.Load(subagent)
		if err != nil || !loaded.Found {
			return false, err
		}
		child := loaded.Record.Subagent
		if child == nil || !child.Forward {
			return false, nil
		}
		if child.Parent == session {
			return true, nil
		}
		subagent = child.Parent
	}
	return false, nil
}

// withForwarded adds to the requests of a session those that are forwarded to it, oldest first.
func (q *Queries) withForwarded(session messages.SessionID, own []messages.PermissionRecord) ([]messages.PermissionRecord, error) {
	all, _ := q.deps.Store.Pending("") // a request that cannot be read is an error of the session that has it
	reaches := map[messages.SessionID]bool{session: false}
	for _, p := range all {
		if _, known := reaches[p.Session]; !known {
			var err error
			if reaches[p.Session], err = q.ForwardsTo(p.Session, session); err != nil {
				return nil, err
			}
		}
		if reaches[p.Session] {
			own = append(own, p)
		}
	}
	slices.SortStableFunc(own, func(a, b messages.PermissionRecord) int { return a.ReceivedAt.Compare(b.ReceivedAt) })
	return own, nil
}
