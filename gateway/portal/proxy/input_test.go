package proxy

import (
	"testing"

	"betcode/gateway/portal/wire"
)

// A backend of G3 that repeats an input from its store omits the id of the page, and may escape the text
// differently. It is the same input, and is not run twice.
func TestInputIsKnownWithoutItsID(t *testing.T) {
	t.Parallel()
	l := &link{Config: Config{Backend: "ws://b", Session: "s"}}
	key := func(seq int64, content string) string { return l.keyOf(seq, wire.Prompt(wire.Raw(content))) }
	if key(4, `"ä"`) != key(4, `"\u00e4"`) {
		t.Error("an input has two keys")
	}
	for name, other := range map[string]string{"another number": key(5, `"ä"`), "another text": key(4, `"a"`)} {
		if other == key(4, `"ä"`) {
			t.Errorf("%s has the same key", name)
		}
	}
}
