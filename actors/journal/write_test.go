package journal

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/messages"
)

// commits is a store that records its calls.
type commits struct {
	Store
	log  []string
	fail map[uint64]error // by commit
}

func (c *commits) Commit(appends []messages.Append) []error {
	var errs []error
	word := "commit"
	for _, a := range appends {
		word += fmt.Sprintf(" %d", a.Commit)
		errs = append(errs, c.fail[a.Commit])
	}
	c.log = append(c.log, word)
	return errs
}

func (c *commits) Load(id messages.SessionID) (messages.SessionLoaded, error) {
	c.log = append(c.log, "load "+string(id))
	if id == "broken" {
		return messages.SessionLoaded{}, errors.New("bits have flipped")
	}
	return messages.SessionLoaded{Found: true}, nil
}

func TestWriteAll(t *testing.T) {
	who := func(n int) *actor.PID { return actor.NewPID("here", fmt.Sprint(n)) }
	put := func(n uint64) request { a := appendOf(n); return request{from: who(int(n)), append: &a} }
	get := func(id messages.SessionID) request { return request{from: who(99), load: id} }
	stale := messages.Errorf("append", messages.Aborted, "head is elsewhere")
	full := messages.Errorf("append", messages.Unavailable, "no space left")

	store := &commits{fail: map[uint64]error{2: stale, 5: errors.New("what is this"), 6: full}}
	done := writeAll(store, []request{put(1), put(2), get("s"), get("broken"), put(3), put(4), put(5), put(6), get("s")})

	want := []string{"commit 1 2", "load s", "load broken", "commit 3 4 5 6", "load s"}
	if !slices.Equal(store.log, want) {
		t.Errorf("the store was asked %q, want %q", store.log, want)
	}
	var got []string
	for _, r := range done.replies {
		switch with := r.With.(type) {
		case messages.Committed:
			got = append(got, fmt.Sprintf("%s: committed %d", r.To.Id, with.Commit))
		case messages.AppendRefused:
			got = append(got, fmt.Sprintf("%s: refused %d %s", r.To.Id, with.Commit, with.Err.Kind))
		case messages.SessionLoaded:
			got = append(got, fmt.Sprintf("%s: loaded", r.To.Id))
		case *messages.Error:
			got = append(got, fmt.Sprintf("%s: %s", r.To.Id, with.Kind))
		}
	}
	wantReplies := []string{
		"1: committed 1", "2: refused 2 aborted", "99: loaded", "99: internal", "3: committed 3", "4: committed 4",
		"5: refused 5 internal", "6: refused 6 unavailable", "99: loaded",
	}
	if !slices.Equal(got, wantReplies) {
		t.Errorf("replies:\n%q\nwant:\n%q", got, wantReplies)
	}
	if !errors.Is(done.failure, full) {
		t.Errorf("the disk's failure is reported as %v", done.failure)
	}
	if done = writeAll(store, []request{put(2)}); done.failure != nil {
		t.Errorf("a stale append is taken for a failure of the disk: %v", done.failure)
	}
}
