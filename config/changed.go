package config

import (
	"maps"
	"reflect"
)

// Changed returns the names of the settings that differ from before, and of rules and features if they differ.
func (s Settings) Changed(before Settings) []string {
	changed := []string{}
	for i, v := range s.Values {
		if i >= len(before.Values) || v.Text() != before.Values[i].Text() {
			changed = append(changed, v.Name)
		}
	}
	if !reflect.DeepEqual(s.Rules, before.Rules) {
		changed = append(changed, "permissions")
	}
	on := func(f map[string]Feature) map[string]bool {
		out := map[string]bool{}
		for name, feature := range f {
			out[name] = feature.On
		}
		return out
	}
	if !maps.Equal(on(s.Features), on(before.Features)) {
		changed = append(changed, "feature_flags")
	}
	return changed
}

// Same reports whether two settings have the same values from the same origins.
func (s Settings) Same(other Settings) bool {
	if len(s.Changed(other)) > 0 || len(s.Warnings) != len(other.Warnings) {
		return false
	}
	for i, v := range s.Values {
		if v.Origin != other.Values[i].Origin {
			return false
		}
	}
	return true
}

// Pending returns the names of the settings that have changed since a daemon was started and
// take effect with its next start.
func (s Settings) Pending(started Settings) []string {
	pending := []string{}
	for i, v := range s.Values {
		if !v.Live && v.Text() != started.Values[i].Text() {
			pending = append(pending, v.Name)
		}
	}
	return pending
}
