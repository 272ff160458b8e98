package checks

import (
	"path/filepath"
	"strings"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/protect"
)

// Protected returns the built-in list of protected files, nil if there are no directories of a daemon. environment is that of
// agents; home is used if it has none.
func Protected(environment []string, home string, daemon []string) *protect.List {
	if daemon == nil {
		return nil
	}
	own, configured := claude.Places(environment)
	if own != "" {
		home = own
	}
	places := protect.Places{Home: filepath.ToSlash(home), Daemon: slashed(daemon)}
	if configured != "" {
		places.Agent = []string{filepath.ToSlash(configured)}
	}
	return protect.New(places, places.Resolve())
}

func slashed(list []string) []string {
	all := make([]string, 0, len(list))
	for _, dir := range list {
		all = append(all, strings.TrimSuffix(filepath.ToSlash(dir), "/"))
	}
	return all
}
