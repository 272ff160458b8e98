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

// A person distinguishes two clients of one user and machine by their terminals or processes.
func TestClientShownTo(t *testing.T) {
	const reader = "lea@box:pts/3#4711.k3x9"
	for id, want := range map[ClientID]string{
		reader:                    "you",
		"lea@box:pts/5#4712.aaaa": "your other terminal (pts/5)",
		"lea@box:pts/3#4713.bbbb": "your other process (4713)",
		"lea@box#4714.cccc":       "your other process (4714)",
		"bob@box:pts/5#4712.aaaa": "bob@box pts/5",
		"lea@hut:pts/3#4711.k3x9": "lea@hut pts/3",
		"lea@box":                 "lea@box", // not made by this program
		"phone":                   "phone",
		"":                        "",
	} {
		if got := id.ShownTo(reader); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	for _, reader := range []ClientID{"", "phone", "lea@box", "#1"} {
		if got := ClientID("lea@box:pts/3#4711.k3x9").ShownTo(reader); got != "lea@box pts/3" {
			t.Errorf("to %q: %q", reader, got)
		}
		if got := ClientID("phone").ShownTo(reader); reader != "phone" && got != "phone" {
			t.Errorf("to %q: %q", reader, got)
		}
	}
	for name, test := range map[string]struct{ id, other, reader, want ClientID }{
		"two scripts":    {"lea@box#1.a", "lea@box#2.b", "phone", "lea@box (1)"},
		"one terminal":   {"lea@box:pts/3#1.a", "lea@box:pts/3#2.b", "", "lea@box pts/3 (1)"},
		"to their user":  {"lea@box#1.a", "lea@box#2.b", "lea@box#3.c", "your other process (1)"},
		"different ones": {"lea@box:pts/3#1.a", "lea@box#2.b", "", "lea@box pts/3"},
		"the same":       {"lea@box#1.a", "lea@box#1.a", "", "lea@box"},
	} {
		if got := test.id.ShownBeside(test.other, test.reader); got != string(test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
