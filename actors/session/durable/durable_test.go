package durable_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"betcode/actors/session/durable"
	"betcode/messages"
)

func TestOrder(t *testing.T) {
	l := durable.Loaded[string](7)
	if got := l.Pass(7, []string{"at once"}); !slices.Equal(got, []string{"at once"}) {
		t.Errorf("held back although nothing is under way: %v", got)
	}
	if n := l.Commit(8, []string{"a"}); n != 1 || l.Head() != 7 || !l.UnderWay() {
		t.Errorf("commit %d, head %d", n, l.Head())
	}
	if got := l.Pass(8, []string{"b"}); got != nil {
		t.Errorf("not held back: %v", got)
	}
	l.Commit(10, []string{"c"})
	if got := l.Committed(1); !slices.Equal(got, []string{"a", "b"}) || l.Head() != 8 || l.Quiescent() {
		t.Errorf("released %v, head %d", got, l.Head())
	}
	if got := l.Committed(1); got != nil {
		t.Errorf("released twice: %v", got)
	}
	if got := l.Committed(2); !slices.Equal(got, []string{"c"}) || l.Head() != 10 || l.UnderWay() || !l.Quiescent() {
		t.Errorf("released %v, head %d", got, l.Head())
	}
}

func TestAnswersInOrder(t *testing.T) {
	var l durable.Log[string]
	l.Commit(1, nil)
	l.Commit(2, nil)
	defer func() {
		if recover() == nil {
			t.Error("an answer was left out, and nobody noticed")
		}
	}()
	l.Committed(2)
}

// The journal of a session that was deleted, or that failed, owes nothing any more.
func TestEnds(t *testing.T) {
	var l durable.Log[string]
	l.Commit(1, []string{"a"})
	l.Commit(2, []string{"b"})
	closed := l.Closed()
	if closed.UnderWay() || closed.Commits() != 2 || closed.Committed(1) != nil || closed.Committed(2) != nil || closed.Commit(0, nil) != 3 {
		t.Errorf("%+v", closed)
	}
	if got := l.Abandon(); !slices.Equal(got, []string{"a", "b"}) || !l.Quiescent() || l.Abandon() != nil {
		t.Errorf("abandoned %v", got)
	}
}

// Effects are released once, in their order, and never before the appends they follow.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l durable.Log[string]
		var added, released []string
		var head, durableHead messages.Seq
		heads := map[uint64]messages.Seq{}
		needs := map[string]uint64{} // effect to the commit it follows
		var commits, committed uint64
		for n := range rapid.IntRange(1, 60).Draw(t, "steps") {
			name := fmt.Sprint(n)
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				head += messages.Seq(rapid.IntRange(0, 3).Draw(t, "events"))
				commits++
				added, needs[name], heads[commits] = append(added, name), commits, head
				if got := l.Commit(head, []string{name}); got != commits {
					t.Fatalf("commit %d, want %d", got, commits)
				}
			case 1:
				added, needs[name] = append(added, name), commits
				released = append(released, l.Pass(head, []string{name})...)
			default:
				if committed < commits {
					committed++
					durableHead = heads[committed]
					released = append(released, l.Committed(committed)...)
				}
			}
			for _, e := range released {
				if needs[e] > committed {
					t.Fatalf("%s follows commit %d, durable is %d", e, needs[e], committed)
				}
			}
			if !slices.Equal(released, added[:len(released)]) {
				t.Fatalf("released %v of %v", released, added)
			}
			if l.UnderWay() != (committed < commits) || l.Head() != durableHead {
				t.Fatalf("under way %v, head %d: want %v, %d", l.UnderWay(), l.Head(), committed < commits, durableHead)
			}
		}
		for committed < commits {
			committed++
			released = append(released, l.Committed(committed)...)
		}
		if !slices.Equal(released, added) || !l.Quiescent() {
			t.Fatalf("released %v of %v", released, added)
		}
	})
}
