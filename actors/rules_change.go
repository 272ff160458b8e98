package actors

import (
	"fmt"
	"strings"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/rules"
	"betcode/actors/settings"
	"betcode/messages"
)

// Change replaces the settings, for what is decided from now on. from is the origin of the change in the audit log, which
// gets a change of the rules. Calls must not overlap.
func (s *System) Change(from RulesOrigin, now settings.Settings) {
	s.settings.Store(&now)
	changed := settings.Changed{Now: &now, Rules: s.changeRules(from, now.Rules)}
	for _, user := range []*actor.PID{s.pool, s.below("retention"), s.sessions} {
		s.actors.Root.Send(user, changed)
	}
}

// RulesOrigin is where a change of the rules comes from, for the audit log.
type RulesOrigin struct {
	How    string // in a few words: "a settings file changed", "SIGHUP", "a client changed settings"
	Client messages.ClientID
}

// rulesDiff is what has changed between two lists of rules.
type rulesDiff struct{ added, removed, widened []string }

// diffRules compares lists. Where a rule stands does not matter, in which file does.
func diffRules(before, now []rules.Rule) rulesDiff {
	key := func(r rules.Rule) string { return r.Effect.String() + "\x00" + r.Text + "\x00" + r.Source }
	index := func(list []rules.Rule) map[string]bool {
		all := make(map[string]bool, len(list))
		for _, r := range list {
			all[key(r)] = true
		}
		return all
	}
	old, held := index(before), index(now)
	effects := func(list []rules.Rule) map[string]bool { // in whatever file
		all := make(map[string]bool, len(list))
		for _, r := range list {
			all[r.Effect.String()+" "+r.Text] = true
		}
		return all
	}
	saidBefore, saidNow := effects(before), effects(now)
	var d rulesDiff
	for _, r := range now {
		if !old[key(r)] {
			d.added = append(d.added, r.String())
			if r.Effect == rules.Allow && !saidBefore[r.Effect.String()+" "+r.Text] {
				d.widened = append(d.widened, "added "+r.String())
			}
		}
	}
	for _, r := range before {
		if !held[key(r)] {
			d.removed = append(d.removed, r.String())
			if r.Effect != rules.Allow && !saidNow[r.Effect.String()+" "+r.Text] {
				d.widened = append(d.widened, "removed "+r.String())
			}
		}
	}
	return d
}

// changeRules replaces the rules and returns how they have changed, nil if they have not. The difference is written to the
// audit log.
func (s *System) changeRules(from RulesOrigin, all []settings.Rules) *settings.RulesChanged {
	before := s.rules.now.Load().list
	s.setRules(all)
	d := diffRules(before, s.rules.now.Load().list)
	if len(d.added)+len(d.removed) == 0 {
		return nil
	}
	entry := messages.AuditEntry{
		Type: messages.AuditRules, ActorType: messages.ActorDaemon, Outcome: messages.OutcomeSuccess,
		Context: map[string]string{
			"origin": from.How, "added": listTexts(d.added), "removed": listTexts(d.removed), "widened": fmt.Sprint(len(d.widened) > 0),
			"sources": strings.Join(sources(all), "\n"),
		},
	}
	if from.Client != "" {
		entry.ActorType, entry.ActorID = messages.ActorUser, string(from.Client)
	}
	s.audit(entry)
	s.logOf("rules").Info().Str("origin", from.How).Int("added", len(d.added)).Int("removed", len(d.removed)).
		Bool("widened", len(d.widened) > 0).Msg("permission rules changed")
	return &settings.RulesChanged{Source: strings.Join(sources(all), ", "), Widened: d.widened}
}

// maxDifference bounds how much of a difference an entry has, in bytes.
const maxDifference = 8 << 10

// listTexts puts rules under each other, as many as there is place for.
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
