package gitlab

import (
	"testing"
)

func TestProjectOf(t *testing.T) {
	for remote, want := range map[string]string{
		"git@gitlab.com:group/sub/name.git":        "group/sub/name",
		"gitlab.example.com:group/name":            "group/name",
		"ssh://git@gitlab.com:2222/group/name.git": "group/name",
		"https://gitlab.com/group/name.git":        "group/name",
		"https://token@gitlab.com/group/name/":     "group/name",
		"/srv/git/name.git":                        "",
		"../name":                                  "",
		"":                                         "",
		"https://gitlab.com/name":                  "",
	} {
		if got := projectOf(remote); got != want {
			t.Errorf("%q: %q, want %q", remote, got, want)
		}
	}
}
