package postings

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestFormKeepsTheList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l List
		places := rapid.Bool().Draw(t, "positions")
		doc := uint32(0)
		for range rapid.IntRange(0, 50).Draw(t, "documents") {
			doc += uint32(rapid.IntRange(1, 300).Draw(t, "distance"))
			if !places {
				l.Mark(doc)
				continue
			}
			position := 0
			for range rapid.IntRange(1, 4).Draw(t, "count") {
				position += rapid.IntRange(0, 1000).Draw(t, "position")
				l.Add(doc, position)
			}
		}
		form := l.Append(nil)
		got, err := Parse(form, true)
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Docs) > 0 {
			if diff := cmp.Diff(l, got); diff != "" {
				t.Fatal(diff)
			}
		}
		if n, err := Len(form); n != len(l.Docs) || err != nil {
			t.Fatalf("%d documents, %v", n, err)
		}
	})
}

func TestRenumber(t *testing.T) {
	var from, to List
	for doc := range uint32(6) {
		from.Add(doc, int(doc))
		from.Add(doc, 10)
	}
	to.Renumber(from, func(doc uint32) (uint32, bool) { return 100 + doc/2, doc%2 == 0 })
	want := List{Docs: []uint32{100, 101, 102}, Counts: []uint32{2, 2, 2}, Positions: []uint32{0, 10, 2, 10, 4, 10}}
	if diff := cmp.Diff(want, to); diff != "" {
		t.Error(diff)
	}
}

func FuzzParse(f *testing.F) {
	var l List
	for doc := range uint32(5) {
		l.Add(doc*3, 1)
		l.Add(doc*3, 9)
	}
	f.Add(l.Append(nil))
	f.Add([]byte{4, 1, 1})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, form []byte) {
		l, err := Parse(form, true)
		if err != nil {
			return
		}
		for i := 1; i < len(l.Docs); i++ {
			if l.Docs[i] <= l.Docs[i-1] {
				t.Fatalf("documents do not rise: %v", l.Docs)
			}
		}
		if l.Counts != nil {
			sum := 0
			for _, count := range l.Counts {
				sum += int(count)
			}
			if sum != len(l.Positions) {
				t.Fatalf("%d positions, counts say %d", len(l.Positions), sum)
			}
		}
	})
}
