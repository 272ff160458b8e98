package persistence

import (
	"fmt"
	"testing"

	"betcode/messages"
)

// What a request was answered with is found by its key, in the next file and after the
// next start as well.
func TestAnswersAreRemembered(t *testing.T) {
	f := newFixture(t)
	f.commit(begin(sid(1), 2))
	want := messages.StoredResult{Key: "call", Seq: 2, Digest: []byte{1, 0, 2}, Answer: []byte(`{"answer":"done"}`)}
	f.commit(messages.Append{Session: sid(1), Expect: 2, Key: "plain", Answered: []messages.StoredResult{
		{Key: want.Key, Digest: want.Digest, Answer: want.Answer},
	}})
	look := func(when string) {
		t.Helper()
		got, seen, err := f.store.StoredResult(sid(1), "call")
		if err != nil || !seen {
			t.Fatalf("%s: seen %v, %v", when, seen, err)
		}
		same(t, when, got, want)
		if got, seen, err := f.store.StoredResult(sid(1), "plain"); err != nil || !seen || got.Seq != 2 || got.Digest != nil {
			t.Errorf("%s: %+v, %v", when, got, err)
		}
	}
	look("at once")
	f.seal()
	look("in the next file")
	f.reopen()
	look("after the next start")
	if got := f.store.Commit([]messages.Append{{Session: sid(1), Expect: 2, Answered: []messages.StoredResult{{}}}})[0]; messages.KindOf(got) != messages.Invalid {
		t.Errorf("an answer without a key: %v", got)
	}
}

func TestSealForgetsOldKeys(t *testing.T) {
	f := newFixture(t)
	f.commit(begin(sid(1), 1))
	remember := func(name string) {
		f.commit(messages.Append{Session: sid(1), Expect: 1, Key: name})
	}
	remember("old")
	f.clock = f.clock.Add(keyAge)
	remember("new")
	f.seal()
	for name, want := range map[string]bool{"old": false, "new": true, "": false, "never": false} {
		if _, seen, err := f.store.Seen(sid(1), name); seen != want || err != nil {
			t.Errorf("%q: seen %v, %v", name, seen, err)
		}
	}
	many := make([]messages.Append, maxKeys+10)
	for i := range many {
		many[i] = more(sid(1), messages.Seq(i)+1, 1)
		many[i].Key = fmt.Sprintf("%x key", i*7919%20011) // the newest is not the last
	}
	f.commit(many...)
	f.seal()
	forgotten := 0
	for i, a := range many {
		if _, seen, _ := f.store.Seen(sid(1), a.Key); !seen {
			forgotten++
			if i > 10 {
				t.Errorf("key %d of %d is forgotten", i, len(many))
			}
		}
	}
	if forgotten != 10 {
		t.Errorf("%d keys are forgotten", forgotten)
	}
}
