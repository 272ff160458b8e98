package config

import "slices"

// Table has every setting of the daemon, in the order of docs/settings.md. It is the only
// description of a setting: files, variables and flags are parsed by it, and pages and
// answers are generated from it.
func Table() []Setting { return table }

var table = slices.Concat(daemonSettings, agentSettings, sessionSettings, workSettings, storageSettings)
