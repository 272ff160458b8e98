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

// A home directory is absolute, so that settings and state are not those of the current directory.
func TestHomeIsAbsolute(t *testing.T) {
	for home, want := range map[string]bool{t.TempDir(): true, "home": false, ".": false, "../x": false} {
		t.Setenv("HOME", home)
		t.Setenv("USERPROFILE", home)
		if got, err := System().Home(); (err == nil) != want || want && got != home {
			t.Errorf("%q: %q, %v", home, got, err)
		}
	}
}
