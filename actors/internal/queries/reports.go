package queries

import (
	"cmp"
	"slices"

	"betcode/actors/internal/sidecar"
	"betcode/messages"
)

// mostReports bounds an answer about all sessions.
const mostReports = 1000

// agentReports returns the last reports of the agents of one session, or of all. The newest report comes first.
func (q *Queries) agentReports(m messages.GetAgentReports) (messages.Reply, error) {
	const op = "read agent reports"
	ids := []messages.SessionID{m.Session}
	if m.Session == "" {
		ids = nil
		records, _, err := q.deps.Store.Sessions("", "", cmp.Or(m.Limit, mostReports), 0)
		if err != nil {
			return nil, messages.AsError(op, err)
		}
		for i := range records {
			ids = append(ids, records[i].ID)
		}
	} else if !q.Exists(m.Session) {
		return nil, notFound(op, m.Session)
	}
	var all messages.AgentReports
	for _, id := range ids {
		r, found := sidecar.ReadReport(q.runsOf(id))
		if !found {
			continue
		}
		r.Session, r.Models = id, sidecar.ReadAbilities(q.runsOf(id)).Models
		if loaded, err := q.deps.Store.Load(id); err == nil && loaded.Run != nil {
			r.Running = loaded.Run.State != messages.RunFinished
		}
		all.Reports = append(all.Reports, r)
	}
	slices.SortStableFunc(all.Reports, func(a, b messages.AgentReport) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Session, b.Session))
	})
	return all, nil
}
