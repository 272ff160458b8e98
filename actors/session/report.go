package session

import (
	"hash/fnv"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/messages"
)

// keepReport stores the agent's report about itself, and what its own files in its directory configure of its servers.
type keepReport struct {
	report      messages.AgentReport
	directory   string // it works in
	environment map[string]string
}

func (keepReport) Effect() {}

// reported notes the agent's report about itself, if it is new. Then the session asks the agent for the details: it reads its input
// at that moment, so the request does not wait in the pipe.
func (t *transition) reported(m claude.TurnStarted) {
	if len(m.Tools) == 0 {
		return // it reports nothing about itself
	}
	report := messages.AgentReport{
		Session: t.s.id, At: act.Wall(t.now.at).UTC(), Version: m.Version, Model: m.Model, Tools: m.Tools,
	}
	for _, s := range m.Servers {
		report.Servers = append(report.Servers, messages.McpServer{Name: s.Name, Status: s.Status})
	}
	if sum := fingerprint(report); sum != t.s.announced.report {
		t.s.announced.report = sum
		t.then(keepReport{report, t.s.record.WorkingDirectory, t.s.environment()})
		t.inquire()
	}
}

// fingerprint is of everything but the time.
func fingerprint(r messages.AgentReport) uint64 {
	h := fnv.New64a()
	word := func(s string) { _, _ = h.Write(append([]byte(s), 0)) }
	word(r.Version)
	word(r.Model)
	for _, tool := range r.Tools {
		word(tool)
	}
	for _, s := range r.Servers {
		word("=" + s.Name)
		word(s.Status)
	}
	return h.Sum64()
}
