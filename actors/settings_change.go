package actors

import (
	"fmt"
	"strings"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/ruleset"
	"betcode/actors/orchestration"
	"betcode/actors/settings"
	"betcode/actors/worktree"
	"betcode/messages"
)

// Change replaces the settings for all later decisions. from is the origin of the change in the audit log, which records
// changes of the rules. Calls must not overlap.
func (s *System) Change(from RulesOrigin, now settings.Settings) {
	s.settings.Store(&now)
	changed := settings.Changed{Now: &now, Rules: s.changeRules(from, now.Rules)}
	for _, user := range []*actor.PID{s.pool, s.daily, s.below("retention"), s.below("notices"), s.below("search"), s.sessions} {
		s.actors.Root.Send(user, changed)
	}
	s.actors.Root.Send(s.orchestrations, orchestration.PlacesChanged{})
	if s.registry != nil {
		s.actors.Root.Send(s.worktrees, worktree.RetentionChanged{})
	}
}

// RulesOrigin is the origin of a change of the rules, for the audit log.
type RulesOrigin struct {
	How    string // in a few words: "a settings file changed", "SIGHUP", "a client changed settings"
	Client messages.ClientID
}

// NarrowRules returns an error for each rule that forbids a command without arguments and allows it with
// arguments. The error has the place of the rule and its likely meaning.
func NarrowRules(all ...settings.Rules) []error { return ruleset.Narrow(all...) }

// setRules replaces the rules for later requests. It logs rules that cannot be read; they have no effect.
func (s *System) setRules(all []settings.Rules) {
	read := ruleset.Read(all...)
	for _, p := range read.Problems {
		s.logOf("rules").Warn().Err(p).Str("source", p.Rule.Source).Msg("permission rule does not count in full")
	}
	for _, p := range read.Rules.Narrow() {
		s.logOf("rules").Warn().Err(p).Str("source", p.Rule.Source).Msg("permission rule matches less than it seems to")
	}
	s.rules.Store(read)
}

// changeRules replaces the rules and returns the difference, nil if there is none. It writes the difference to the audit log.
func (s *System) changeRules(from RulesOrigin, all []settings.Rules) *settings.RulesChanged {
	before := s.rules.Load().List
	s.setRules(all)
	d := ruleset.Compare(before, s.rules.Load().List)
	if d.Empty() {
		return nil
	}
	entry := messages.AuditEntry{
		Type: messages.AuditRules, ActorType: messages.ActorDaemon, Outcome: messages.OutcomeSuccess,
		Context: map[string]string{
			"origin": from.How, "added": listTexts(d.Added), "removed": listTexts(d.Removed), "widened": fmt.Sprint(len(d.Widened) > 0),
			"sources": strings.Join(sources(all), "\n"),
		},
	}
	if from.Client != "" {
		entry.ActorType, entry.ActorID = messages.ActorUser, string(from.Client)
	}
	s.audit(entry)
	s.logOf("rules").Info().Str("origin", from.How).Int("added", len(d.Added)).Int("removed", len(d.Removed)).
		Bool("widened", len(d.Widened) > 0).Msg("permission rules changed")
	return &settings.RulesChanged{Source: strings.Join(sources(all), ", "), Widened: d.Widened}
}

// maxDifference bounds the text of a difference in an audit entry, in bytes.
const maxDifference = 8 << 10

// listTexts joins rules with line breaks, as many as fit into maxDifference.
func listTexts(texts []string) string {
	var b strings.Builder
	for n, text := range texts {
		if b.Len()+len(text) > maxDifference {
			fmt.Fprintf(&b, "and %d more", len(texts)-n)
			break
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(text)
	}
	return b.String()
}

func sources(all []settings.Rules) []string {
	var names []string
	for _, r := range all {
		names = append(names, r.Source)
	}
	return names
}
