package proxied

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"betcode/messages"
)

// take takes a line and reports whether it is new.
func take(l *ledger, seq uint64, line string) bool {
	next, fresh := l.take(seq, []byte(line))
	*l = next
	return fresh
}

func TestLedger(t *testing.T) {
	var l ledger
	for seq, line := range []string{"a", "b", "c"} {
		if !take(&l, uint64(seq), line) {
			t.Errorf("line %d is known", seq)
		}
	}
	for _, c := range []struct {
		name  string
		seq   uint64
		line  string
		fresh bool
	}{
		{"sent again", 0, "a", false},
		{"sent again from the middle", 2, "c", false},
		{"dropped by the proxy in between", 9, "d", true},
		{"another content: a new count", 1, "x", true},
		{"the old content under the forgotten number", 2, "c", true},
		{"below the new count it stays known", 0, "a", false},
		{"a number of a gap", 100, "y", true},
		{"back into the gap: a new count", 50, "z", true},
		{"forgotten with it", 100, "y", true},
		{"the same content under another number", 101, "y", true},
	} {
		if fresh := take(&l, c.seq, c.line); fresh != c.fresh {
			t.Errorf("%s: new is %v", c.name, fresh)
		}
	}
}

// A proxy that keeps at most 1000 lines may send all of them again after any loss of a connection.
func TestLedgerKnowsAWindow(t *testing.T) {
	var l ledger
	for seq := range uint64(3 * Window) {
		take(&l, seq, fmt.Sprint(seq))
	}
	if len(l) != Window {
		t.Fatalf("the ledger has %d lines", len(l))
	}
	for seq := uint64(3*Window - 1000); seq < 3*Window; seq++ {
		if take(&l, seq, fmt.Sprint(seq)) {
			t.Fatalf("line %d is not known", seq)
		}
	}
	if size := len(l.marshal()); size > 8<<10 {
		t.Errorf("the ledger has %d bytes", size)
	}
	if !take(&l, 0, "another") || len(l) != 1 {
		t.Errorf("after the new count the ledger has %d lines", len(l))
	}
}

// Whatever is sent again and wherever it is loaded again: a line of a proxy that keeps its state is taken once, and the ledger is the
// same behind its encoding.
func TestLedgerProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l ledger
		var sent []string // by number
		taken, count := map[string]int{}, 0
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0: // the state is lost
				sent, count, taken = nil, count+1, map[string]int{}
			case 1, 2, 3: // sent again from some line on
				for seq := rapid.IntRange(0, len(sent)).Draw(t, "from"); seq < len(sent); seq++ {
					if take(&l, uint64(seq), sent[seq]) {
						taken[sent[seq]]++
					}
				}
			case 4:
				again, err := parseLedger(l.marshal())
				if err != nil || !bytes.Equal(again.marshal(), l.marshal()) || len(again) != len(l) {
					t.Fatalf("%d lines became %d: %v", len(l), len(again), err)
				}
				l = again
			default:
				line := fmt.Sprintf("%d/%d", count, len(sent))
				if take(&l, uint64(len(sent)), line) {
					taken[line]++
				}
				sent = append(sent, line)
			}
		}
		for _, line := range sent {
			if taken[line] != 1 {
				t.Fatalf("line %s was taken %d times", line, taken[line])
			}
		}
	})
}

func FuzzParseLedger(f *testing.F) {
	var l ledger
	take(&l, 3, "a")
	take(&l, 400, "b")
	f.Add(l.marshal())
	f.Add([]byte{1})
	f.Add([]byte{2, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := parseLedger(b)
		if err != nil {
			if messages.KindOf(err) != messages.DataLoss && messages.KindOf(err) != messages.Unimplemented {
				t.Fatal(err)
			}
			return
		}
		again, err := parseLedger(l.marshal())
		if err != nil || len(again) != len(l) {
			t.Fatalf("%d lines became %d: %v", len(l), len(again), err)
		}
	})
}
