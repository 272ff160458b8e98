package messages

import "testing"

func TestIn(t *testing.T) {
	for _, c := range []struct {
		directory, session string
		want               bool
	}{
		{"", "/w", true},
		{"/w", "/w", true},
		{"/w", "/w/a/b", true},
		{"/", "/w", true},
		{"/w", "/w/..a", true},
		{"/w", "/ww", false},
		{"/w/a", "/w", false},
		{"/w", "", false},
	} {
		if got := (SessionOutline{Directory: c.session}).In(c.directory); got != c.want {
			t.Errorf("%q in %q: %v", c.session, c.directory, got)
		}
	}
}
