package actors

import (
	"testing"

	"betcode/messages"
)

// A key leads to its session, in the next daemon too.
func TestSessionOfAKey(t *testing.T) {
	store := newMemoryStore()
	s := raise(t, store)
	for n := 1; n <= 3; n++ {
		s.open(sessionN(n))
	}
	must[messages.Done](s, messages.Idempotent{
		Key: key(1), Digest: []byte("grant"), Request: messages.SetGrant{Session: sessionN(2), Tool: "Bash", Granted: true},
	})
	for _, on := range []*stage{s, raise(t, store)} {
		if found := must[messages.SessionResolved](on, messages.ResolveKey{Key: key(1)}); found.Session != sessionN(2) {
			t.Errorf("found in %s", found.Session)
		}
		if kind := on.refused(messages.ResolveKey{Key: key(2)}); kind != messages.NotFound {
			t.Errorf("a key that nobody used: %s", kind)
		}
	}
}

// The next daemon answers a repeated request from the journal, and refuses a key
// that was used for something else.
func TestCallUnderAKeyAcrossDaemons(t *testing.T) {
	store := newMemoryStore()
	s := raise(t, store)
	s.open(sessionN(1))
	m := messages.Idempotent{Key: key(1), Digest: []byte("grant"), Request: messages.SetGrant{Session: sessionN(1), Tool: "Bash", Granted: true}}
	must[messages.Done](s, m)
	must[messages.Done](s, messages.ClearGrants{Session: sessionN(1)})
	hello := messages.SendInput{Session: sessionN(1), Client: "ann", Key: key(2), Content: "hello"}
	first := must[messages.InputAcknowledged](s, hello)

	next := raise(t, store)
	must[messages.Done](next, m)
	if grants := must[messages.SessionView](next, messages.GetSession{Session: sessionN(1)}).Record.Grants; len(grants) > 0 {
		t.Errorf("what was taken back is granted again: %v", grants)
	}
	m.Digest = []byte("another")
	if kind := next.refused(m); kind != messages.Invalid {
		t.Errorf("another request under the key: %s", kind)
	}
	if again := must[messages.InputAcknowledged](next, hello); again != first {
		t.Errorf("acknowledged as %+v, then as %+v", first, again)
	}
	for _, on := range []*stage{s, next} {
		other := hello
		other.Content = "something else"
		if kind := on.refused(other); kind != messages.Invalid {
			t.Errorf("another message under the key: %s", kind)
		}
		other.Key = key(1)
		if kind := on.refused(other); kind != messages.Invalid {
			t.Errorf("a message under the key of a call: %s", kind)
		}
	}
}
