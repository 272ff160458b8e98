package session

import (
	"hash/fnv"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/messages"
)

// keepReport writes down what the agent says of itself, and what its own files, in the
// place where it works, say of its servers.
type keepReport struct {
	report      messages.AgentReport
	directory   string // it works in
	environment map[string]string
}

func (keepReport) Effect() {}

// reported notes what the agent says of itself, if it says something new. Then it is
// asked for what it does not say by itself: it reads at that moment, so nothing has to
// wait for that in its pipe.
func (t *transition) reported(m claude.TurnStarted) {
	if len(m.Tools) == 0 {
		return // it says nothing of itself
	}
	report := messages.AgentReport{
		Session: t.s.id, At: act.Wall(t.now.at).UTC(), Version: m.Version, Model: m.Model, Tools: m.Tools,
	}
	for _, s := range m.Servers {
		report.Servers = append(report.Servers, messages.McpServer{Name: s.Name, Status: s.Status})
	}
	if sum := fingerprint(report); sum != t.s.said.report {
		t.s.said.report = sum
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
