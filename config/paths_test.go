package config

import (
	"slices"
	"testing"
)

func TestListOfPaths(t *testing.T) {
	for text, want := range map[string][]string{
		"off":                {},
		"/srv/data":          {"/srv/data"},
		"~/notes, /srv/data": {"~/notes", "/srv/data"},
	} {
		if got, ok := parsePaths(text); !ok || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "notes", "./notes", "~", "~/", "~/../other", "~other/x", "/a,,/b", "/a\n/b"} {
		if got, ok := parsePaths(text); ok {
			t.Errorf("%q is taken: %q", text, got)
		}
	}
}
