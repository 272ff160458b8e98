package actors

import (
	"cmp"
	"path/filepath"
	"slices"

	"betcode/actors/internal/mcpconfig"
	"betcode/actors/internal/sidecar"
	"betcode/messages"
)

// mostReports bounds an answer about all sessions.
const mostReports = 1000

// runsOf returns the directory of a session's runs.
func (s *System) runsOf(id messages.SessionID) string {
	return filepath.Join(s.options.RunsDirectory, string(id))
}

// writeReport stores what the agent of a session says of itself. environment is what the session keeps of it.
func (s *System) writeReport(r messages.AgentReport, directory string, environment map[string]string) error {
	return sidecar.WriteReport(s.runsOf(r.Session), mcpconfig.Complete(r, directory, s.environment(environment)))
}

// agentReports works in the caller's goroutine.
func (s *System) agentReports(m messages.GetAgentReports) (messages.Reply, error) {
	const op = "read agent reports"
	ids := []messages.SessionID{m.Session}
	if m.Session == "" {
		ids = nil
		records, _, err := s.options.Store.Sessions("", "", cmp.Or(m.Limit, mostReports), 0)
		if err != nil {
			return nil, messages.AsError(op, err)
		}
		for i := range records {
			ids = append(ids, records[i].ID)
		}
	} else if !s.exists(m.Session) {
		return nil, messages.Errorf(op, messages.NotFound, "session %q does not exist", m.Session).WithCode(messages.SessionNotFound)
	}
	var all messages.AgentReports
	for _, id := range ids {
		r, found := sidecar.ReadReport(s.runsOf(id))
		if !found {
			continue
		}
		r.Session, r.Models = id, sidecar.ReadAbilities(s.runsOf(id)).Models
		if loaded, err := s.options.Store.Load(id); err == nil && loaded.Run != nil {
			r.Running = loaded.Run.State != messages.RunFinished
		}
		all.Reports = append(all.Reports, r)
	}
	slices.SortStableFunc(all.Reports, func(a, b messages.AgentReport) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Session, b.Session))
	})
	return all, nil
}
