package actors

import (
	"path/filepath"
	"strings"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/protect"
)

// protected is the built-in list of a system, nil if there is none.
func (o Options) protected() *protect.List {
	if o.Protected == nil {
		return nil
	}
	home, configured := claude.Places(o.Environment)
	if home == "" {
		home = o.Home
	}
	places := protect.Places{Home: filepath.ToSlash(home), Daemon: slashed(o.Protected)}
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
