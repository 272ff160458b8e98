package actors

import (
	"path/filepath"
	"strings"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/protect"
)

// Some calls are asked about whatever rules, grants and modes say: those that write a
// file of the built-in list (package protect), and those that the agent itself insists on:
// by an ask rule, the user's own or one that was handed over, or by its own check of
// dangerous calls. Such a request has a reason ([messages.PermissionRecord]), which is
// shown to people. What forbids a call still does.

// protects reports whether calls of a tool are held against the built-in list, which looks
// at the disk.
func (s *sessionState) protects(tool string) bool {
	return s.options.protected != nil && protect.Concerned(tool)
}

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
