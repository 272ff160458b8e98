package actors

import (
	"net/netip"
	"sync/atomic"

	"betcode/actors/internal/process"
	"betcode/actors/internal/rules"
)

// BelowAgent says whether a process is an agent or descends from one: it may look
// at sessions and not act on them. An error means that it could not be told.
func BelowAgent(pid int) (bool, error) { return process.BelowAgent(pid) }

// ConnectedBelowAgent is [BelowAgent] for the process at the other end of a TCP
// connection, by the addresses of its two ends.
func ConnectedBelowAgent(caller, ours netip.AddrPort) (bool, error) {
	return process.ConnectedBelowAgent(caller, ours)
}

// Rules are what a user has written down about tool calls, in the agent's own
// notation: "Bash(git *)", "Edit(src/**/*.ts)", "mcp__github__*".
type Rules struct {
	Allow, Ask, Deny []string
	Source           string         // for people: the file they stand in
	Lines            map[string]int // there, by list and rule: "deny WebFetch"; may be nil
}

// list puts the rules one behind the other.
func (r Rules) list() []rules.Rule {
	var all []rules.Rule
	for _, list := range []struct {
		effect rules.Effect
		texts  []string
	}{{rules.Deny, r.Deny}, {rules.Ask, r.Ask}, {rules.Allow, r.Allow}} {
		for _, text := range list.texts {
			all = append(all, rules.Rule{Effect: list.effect, Text: text, Source: r.Source, Line: r.Lines[list.effect.String()+" "+text]})
		}
	}
	return all
}

// SetRules replaces the rules ([Options.Rules]), for what is asked from now on. Agents that
// run are not told of it: [System.ChangeRules] does both. A rule that cannot be read is
// logged and left out.
func (s *System) SetRules(all ...Rules) {
	read := readList(all...)
	for _, p := range read.problems {
		s.logOf("rules").Warn().Err(p).Str("source", p.Rule.Source).Msg("permission rule does not count in full")
	}
	for _, p := range read.set.Narrow() {
		s.logOf("rules").Warn().Err(p).Str("source", p.Rule.Source).Msg("permission rule matches less than it seems to")
	}
	s.rules.now.Store(read)
}

func readList(all ...Rules) *readRules {
	var list []rules.Rule
	for _, r := range all {
		list = append(list, r.list()...)
	}
	read := &readRules{list: list}
	read.set, read.problems = rules.New(list...)
	return read
}

// liveRules are rules that may change while sessions live. The nil one has none.
type liveRules struct{ now atomic.Pointer[readRules] }

type readRules struct {
	list     []rules.Rule
	set      *rules.Set
	problems []rules.RuleError
}

func (l *liveRules) get() *rules.Set {
	if l == nil || l.now.Load() == nil {
		return nil
	}
	return l.now.Load().set
}
