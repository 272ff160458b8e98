package persistence

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"betcode/messages"
	"betcode/persistence/internal/record"
	"betcode/persistence/internal/wal"
)

// TestLostHeads damages the head of each group but the newest. Where the checksum of the
// head is left, the journal opens as it was. Where the whole head is lost, the journal is
// refused, and a repair takes the group whole if its rows prove themselves: nothing is
// lost then. A group with deletions is not taken whole without the checksum of its rows.
func TestLostHeads(t *testing.T) {
	f, want, _ := inLogs(t)
	f.open()
	moved := f.store.log.Newest()
	a := full(sid(1), messages.Seq(len(want[sid(1)])))
	a.SpoolFrom = 100
	f.commit(a)
	f.commit(messages.Append{Session: sid(1), Expect: messages.Seq(len(want[sid(1)])) + 3, Done: []string{"one"}})
	want[sid(1)] = f.history(sid(1))
	f.commit(more(sid(2), messages.Seq(len(want[sid(2)])), 1))
	want[sid(2)] = f.history(sid(2))
	f.store.options.steps = func(string) error { return errCrash }
	f.close()
	name := ""
	var data []byte
	for _, n := range wal.Names {
		if d, err := os.ReadFile(f.path(n)); err == nil && len(wal.Walk(d, wal.TagOf(f.store.lineage), moved, record.SoundRows).Groups) == 3 {
			name, data = n, d
		}
	}
	if name == "" {
		t.Fatal("no log has the three groups")
	}
	begins := []int{}
	for at := 0; ; {
		next := bytes.Index(data[at:], []byte("bcg\x02"))
		if next < 0 || len(begins) == 3 {
			break
		}
		begins = append(begins, at+next)
		at += next + 4
	}
	const checksum, rowsSum = 4, 32
	for _, c := range []struct {
		name    string
		group   int
		keep    [][2]int // parts of the head that are left
		refused bool
		taken   bool // by a repair, whole
		beyond  int  // bytes behind the head that are damaged too
	}{
		{name: "a head with its checksum left", group: 0, keep: [][2]int{{checksum, 8}}},
		{name: "a head with deletions and its checksum left", group: 1, keep: [][2]int{{checksum, 8}}},
		{name: "a whole head", group: 0, refused: true, taken: true},
		{name: "a whole head before deletions", group: 1, refused: true},
		{name: "a head with the checksum of its rows left, before deletions", group: 1, keep: [][2]int{{rowsSum, 36}}, refused: true, taken: true},
		{name: "a head and a name", group: 0, beyond: 1, refused: true},
		{name: "a head, the names and a part of a row", group: 0, beyond: 20, refused: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := f.copied(t)
			spoiled := bytes.Clone(data)
			head := spoiled[begins[c.group] : begins[c.group]+40+c.beyond]
			for i := range head {
				if !slices.ContainsFunc(c.keep, func(k [2]int) bool { return k[0] <= i && i < k[1] }) {
					head[i] = ^head[i]
				}
			}
			if err := os.WriteFile(g.path(name), spoiled, 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := Open(g.options)
			if !c.refused {
				if err != nil {
					t.Fatal(err)
				}
				g.store = s
				if found := s.Findings(); len(found) != 1 || !strings.Contains(found[0].Problem, "head") || !strings.Contains(found[0].Outcome, "nothing is lost") {
					t.Errorf("findings: %v", found)
				}
			} else {
				wantKind(t, "open", err, messages.DataLoss)
				done, err := Repair(t.Context(), RepairOptions{Directory: g.options.Directory, Apply: true})
				if err != nil || !done.Needed {
					t.Fatalf("%+v, %v", done, err)
				}
				if taken := len(done.Lost.Sessions) == 0 && done.Lost.Unread == 0; taken != c.taken {
					t.Fatalf("taken whole: %t; %+v", taken, done)
				}
				g.open()
				if !c.taken {
					g.keepsAll(t, c.name, want, &done.Lost)
					g.close()
					return
				}
			}
			for id, events := range want {
				sameEvents(t, string(id), g.history(id), events)
			}
			if inputs := g.load(sid(1)).Inputs; len(inputs) != 1 || inputs[0].Key == "one" {
				t.Errorf("inputs: %+v", inputs)
			}
			g.verify()
			g.close()
		})
	}
}
