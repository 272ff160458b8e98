package actors

import (
	"net/netip"
	"sync/atomic"

	"betcode/actors/internal/process"
	"betcode/actors/internal/rules"
	"betcode/actors/settings"
)

// BelowAgent says whether a process is an agent or descends from one: it may look
// at sessions and not act on them. An error means that it could not be told.
func BelowAgent(pid int) (bool, error) { return process.BelowAgent(pid) }

// ConnectedBelowAgent is [BelowAgent] for the process at the other end of a TCP
// connection, by the addresses of its two ends.
func ConnectedBelowAgent(caller, ours netip.AddrPort) (bool, error) {
	return process.ConnectedBelowAgent(caller, ours)
}

// listOf returns the rules of a file: deny rules, then ask rules, then allow rules.
func listOf(r settings.Rules) []rules.Rule {
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

// setRules replaces the rules for requests from now on. It logs rules that cannot be read, which do not count.
func (s *System) setRules(all []settings.Rules) {
	read := readList(all...)
	for _, p := range read.problems {
		s.logOf("rules").Warn().Err(p).Str("source", p.Rule.Source).Msg("permission rule does not count in full")
	}
	for _, p := range read.set.Narrow() {
		s.logOf("rules").Warn().Err(p).Str("source", p.Rule.Source).Msg("permission rule matches less than it seems to")
	}
	s.rules.now.Store(read)
}

func readList(all ...settings.Rules) *readRules {
	var list []rules.Rule
	for _, r := range all {
		list = append(list, listOf(r)...)
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
