package actors

import (
	"fmt"

	"betcode/actors/settings"
)

// NarrowRules names the rules that forbid a command without arguments while the same
// command with arguments is allowed, each with its place and what may be meant.
func NarrowRules(all ...settings.Rules) []error {
	var narrow []error
	for _, p := range readList(all...).set.Narrow() {
		if p.Rule.Source == "" {
			narrow = append(narrow, p)
			continue
		}
		narrow = append(narrow, fmt.Errorf("%s:%d: %w", p.Rule.Source, p.Rule.Line, p))
	}
	return narrow
}
