package main

import (
	"cmp"
	"fmt"
	"slices"

	"betcode/config"
	"betcode/messages"
)

// featurePrefix is where feature flags stand among the settings.
const featurePrefix = "feature_flags."

// withFeatures adds the warnings about the feature flags in settings, which config
// does not know, and about the programs they name.
func withFeatures(s config.Settings, err error) (config.Settings, error) {
	s.Warnings = slices.Concat(s.Warnings, featureWarnings(s.Features), s.ProgramWarnings())
	return s, err
}

func featureWarnings(said map[string]config.Feature) []*config.FileError {
	var all []*config.FileError
	for name, feature := range said {
		if why := aboutFlag(name, feature.On); why != "" {
			all = append(all, &config.FileError{Path: feature.Origin.Name, Line: feature.Origin.Line, Column: 1, Err: fmt.Errorf("feature_flags.%s: %s", name, why)})
		}
	}
	slices.SortFunc(all, func(a, b *config.FileError) int { return cmp.Or(cmp.Compare(a.Path, b.Path), a.Line-b.Line) })
	return all
}

// aboutFlag is what is to be said to somebody who switches a feature, empty for
// nothing.
func aboutFlag(name string, on bool) string {
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
		return fmt.Sprintf("it is deprecated and goes in v%s; use %s", f.Removal, f.Replacement)
	}
	return ""
}

// flagsOf is what settings say about feature flags.
func flagsOf(s config.Settings) map[string]bool {
	said := make(map[string]bool, len(s.Features))
	for name, feature := range s.Features {
		said[name] = feature.On
	}
	return said
}
