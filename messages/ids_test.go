package messages

import "testing"

func TestClientShown(t *testing.T) {
	for id, want := range map[ClientID]string{
		"lea@box:pts/3#4711.k3x9": "lea@box pts/3",
		"lea@box:pts/3#4711":      "lea@box pts/3", // from an earlier version
		"lea@box#4711.k3x9":       "lea@box",
		"cli#4711":                "cli",
		"cli:pts/3#4711":          "cli:pts/3",
		"flutter":                 "flutter",
		"lea@box:pts/3":           "lea@box:pts/3",
		"#4711":                   "#4711",
		"":                        "",
	} {
		if got := id.Shown(); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
}
