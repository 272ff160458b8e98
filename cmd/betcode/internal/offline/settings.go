package offline

import (
	"os"

	"betcode/actors"
	"betcode/actors/settings"
	"betcode/config"
	"betcode/messages"
)

// RefuseAgents refuses a command that changes settings if an agent started it. The daemon refuses such callers by
// itself; a command that writes files without a daemon has to.
func RefuseAgents() error {
	below, err := actors.BelowAgent(os.Getpid())
	if err == nil && below {
		return messages.Errorf("change settings", messages.Denied, "an agent started this process, and agents may only view").
			WithHint("run the command in a terminal that no agent started")
	}
	return nil
}

// NarrowRules returns warnings about deny and ask rules in files that match less than their author probably meant.
func NarrowRules(files ...*config.File) []error {
	var all []settings.Rules
	for _, file := range files {
		r := file.FileRules()
		all = append(all, settings.Rules{Allow: r.Allow, Ask: r.Ask, Deny: r.Deny, Source: r.Path, Lines: r.Lines})
	}
	return actors.NarrowRules(all...)
}
