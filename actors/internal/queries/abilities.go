package queries

import (
	"path/filepath"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/offers"
	"betcode/actors/internal/sidecar"
	"betcode/messages"
)

// relatives is how many recently used sessions of the same directory are searched for
// reports of their agents.
const relatives = 5

// AskAbilities asks a session's agent through ask, and adds the stored abilities. With m.StoredOnly the agent is not asked.
func (q *Queries) AskAbilities(m messages.GetAbilities, ask func() (messages.Reply, error)) (messages.Reply, error) {
	known := q.Abilities(m.Session)
	if m.StoredOnly {
		return known, nil
	}
	answer, err := ask()
	if err != nil {
		return nil, err
	}
	if reported, ok := answer.(messages.Abilities); ok && reported.Fresh {
		return known.Learn(reported), nil
	}
	return known, nil
}

// Abilities returns the known abilities of a session's agent without asking it: its last
// report, else the report of an agent of another session in the same directory, else the definitions
// in the user's directory and, if it is trusted, the session's directory.
func (q *Queries) Abilities(id messages.SessionID) messages.Abilities {
	own := sidecar.ReadAbilities(q.runsOf(id))
	if len(own.Commands)+len(own.Agents) > 0 {
		return own
	}
	loaded, err := q.deps.Store.Load(id)
	if err != nil || !loaded.Found {
		return own
	}
	directory := loaded.Record.WorkingDirectory
	defined := offers.Read(claude.Home(q.deps.Environment(nil)))
	if q.deps.Directories.Obeyed(directory) {
		defined = joined(offers.Read(filepath.Join(directory, ".claude")), defined)
	}
	others, _, err := q.deps.Store.Sessions(directory, "", relatives, 0)
	if err != nil {
		return defined
	}
	for _, other := range others {
		reported := sidecar.ReadAbilities(q.runsOf(other.ID))
		if len(reported.Commands)+len(reported.Agents) > 0 {
			return joined(reported, defined)
		}
	}
	return defined
}

// joined returns a with the members that only b has.
func joined(a, b messages.Abilities) messages.Abilities {
	known := map[string]bool{}
	for _, c := range a.Commands {
		known[c.Name] = true
	}
	for _, c := range b.Commands {
		if !known[c.Name] {
			a.Commands = append(a.Commands, c)
		}
	}
	agents := map[string]bool{}
	for _, t := range a.Agents {
		agents[t.Name] = true
	}
	for _, t := range b.Agents {
		if !agents[t.Name] {
			a.Agents = append(a.Agents, t)
		}
	}
	a.Skills = append(a.Skills, b.Skills...)
	return a
}
