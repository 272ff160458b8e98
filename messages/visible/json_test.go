package visible_test

import (
	"encoding/json"
	"testing"

	"betcode/messages/visible"
)

// FuzzJSON checks that escaping changes no value and leaves no hidden rune.
func FuzzJSON(f *testing.F) {
	for _, text := range []string{"plain", "gnp\u202egpj", "a\u200bb", "\U000e0041", "\u0085", "é 漢", "\ufffd", "\x1b[2J"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		shown := visible.JSON(string(raw))
		var before, after string
		if err := json.Unmarshal(raw, &before); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(shown), &after); err != nil || after != before {
			t.Fatalf("%q becomes %q: %v", before, after, err)
		}
		for _, r := range shown {
			if r >= 0x7f && r != '\ufffd' && visible.Hidden(r) {
				t.Fatalf("%q is left in %s", r, shown)
			}
		}
	})
}
