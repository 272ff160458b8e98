// Package features gives the warnings about feature flags in settings, which package config cannot give: it does not know
// which features there are.
package features

import (
	"cmp"
	"fmt"
	"slices"

	"betcode/config"
	"betcode/messages"
)

// Prefix begins the names of feature flags among the settings.
const Prefix = "feature_flags."

// Load loads settings, with the warnings about the feature flags and the programs that they name.
func Load(flags config.Flags, env config.Environment) (config.Settings, error) {
	s, err := config.Load(flags, env)
	s.Warnings = slices.Concat(s.Warnings, Warnings(s.Features), s.ProgramWarnings())
	return s, err
}

// Warnings returns the problems of feature flags, in the order of their files and lines.
func Warnings(set map[string]config.Feature) []*config.FileError {
	var all []*config.FileError
	for name, feature := range set {
		if text := Advice(name, feature.On); text != "" {
			all = append(all, &config.FileError{Path: feature.Origin.Name, Line: feature.Origin.Line, Column: 1, Err: fmt.Errorf("%s%s: %s", Prefix, name, text)})
		}
	}
	slices.SortFunc(all, func(a, b *config.FileError) int { return cmp.Or(cmp.Compare(a.Path, b.Path), a.Line-b.Line) })
	return all
}

// Advice returns a note for a person who switches a feature; empty if there is none.
func Advice(name string, on bool) string {
	f, known := messages.FeatureNamed(name)
	switch {
	case !known:
		return "there is no such feature"
	case f.Name != name:
		return "it is called " + f.Name + " here"
	case f.Fixed && !on:
		return "it cannot be switched off"
	case f.Stage == messages.StageRemoved:
		return "it was removed; use " + f.Replacement
	case f.Stage == messages.StageDeprecated && on:
		return fmt.Sprintf("it is deprecated and will be removed in v%s; use %s", f.Removal, f.Replacement)
	}
	return ""
}

// Set returns the feature flags that settings set, by name.
func Set(s config.Settings) map[string]bool {
	set := make(map[string]bool, len(s.Features))
	for name, feature := range s.Features {
		set[name] = feature.On
	}
	return set
}
