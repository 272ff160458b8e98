package actors

import "testing"

// A program below the oldest supported version is not started.
func TestTooOld(t *testing.T) {
	for version, refused := range map[string]bool{"1.0.60": true, "2.0.76": true, "2.0.77": false, "": false, "nightly": false} {
		if advice := tooOld(version); (advice != "") != refused {
			t.Errorf("%q: %q", version, advice)
		}
	}
}
