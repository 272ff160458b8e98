package actors

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/notes"
	"betcode/actors/internal/regular"
	"betcode/messages"
)

// What agents say of themselves when a turn begins (version, tools, MCP servers) is
// kept in a file beside the session's run directories, written when it changes. It is
// not part of the session's projection: that is written with every batch, and lists of
// tools are long.

// reportFile is its name.
const reportFile = "agent.json"

// mostReports bounds an answer about all sessions.
const mostReports = 1000

func (s *System) reportPath(id messages.SessionID) string {
	return filepath.Join(s.options.RunsDirectory, string(id), reportFile)
}

// writeReport stores what the agent of a session says of itself. environment is what the session keeps of it.
func (s *System) writeReport(r messages.AgentReport, directory string, environment map[string]string) error {
	raw, err := json.Marshal(complete(r, directory, s.environment(environment)))
	if err != nil {
		return err
	}
	return notes.Replace(s.reportPath(r.Session), raw)
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
		r, found := s.readReport(id)
		if !found {
			continue
		}
		r.Models = readAbilities(filepath.Join(s.options.RunsDirectory, string(id))).Models
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

// readReport returns a session's report. One that cannot be read is as good as none:
// the next turn brings another.
func (s *System) readReport(id messages.SessionID) (messages.AgentReport, bool) {
	var r messages.AgentReport
	raw, err := os.ReadFile(s.reportPath(id))
	if err != nil || json.Unmarshal(raw, &r) != nil {
		return messages.AgentReport{}, false
	}
	r.Session = id
	return r, true
}

// complete fills in from the agent's files what it does not say of its servers.
func complete(r messages.AgentReport, directory string, environment []string) messages.AgentReport {
	if len(r.Servers) == 0 {
		return r
	}
	home, project := readServers(claude.Memory(environment)), readServers(filepath.Join(directory, ".mcp.json"))
	r.Servers = slices.Clone(r.Servers)
	for _, known := range claude.ConfiguredServers(home, project, directory) {
		if i := slices.IndexFunc(r.Servers, func(s messages.McpServer) bool { return s.Name == known.Name }); i >= 0 {
			r.Servers[i].Type, r.Servers[i].Endpoint = known.Type, known.Endpoint
		}
	}
	return r
}

// maxServerFile bounds a file that tells of servers, in bytes: that of a user has much
// else in it, and that of a directory is whatever a repository brought along.
const maxServerFile = 32 << 20

// readServers reads such a file. What is no file, is too large or is not there says
// nothing: a named pipe, say, would block its reader.
func readServers(path string) []byte {
	content, _ := regular.Read(path, maxServerFile)
	return content
}
