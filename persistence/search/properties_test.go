package search

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"betcode/messages"
)

// directories counts the indexes of properties.
var directories atomic.Uint64

// An index finds what a scan of the journal finds, in whatever order it was written, merged, killed and opened again.
func TestIndexAgreesWithTheJournal(t *testing.T) {
	vocabulary := []string{"alpha", "beta", "readFile", "read_file", "gamma", "搜索", "x1"}
	rapid.Check(t, func(t *rapid.T) {
		j, directory := newJournal(), filepath.Join(tempDir, strconv.FormatUint(directories.Add(1), 10))
		open := func() *Index {
			x, lost, err := Open(Options{Directory: directory, Journal: j})
			if err != nil || lost != nil {
				t.Fatalf("lost %v, %v", lost, err)
			}
			return x
		}
		x := open()
		defer func() { x.Abandon() }()
		ids := []messages.SessionID{"a", "b", "c"}
		text := rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 5).Draw(t, "words"), " ")
		})
		texts := map[string]string{} // by session:number
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch id := rapid.SampledFrom(ids).Draw(t, "session"); rapid.IntRange(0, 7).Draw(t, "step") {
			case 0, 1, 2:
				said1 := text.Draw(t, "text")
				j.append(id, said(said1))
				texts[fmt.Sprintf("%s:%d", id, j.sessions[id].outline.Head)] = said1
			case 3: // a block in pieces, some indexed before it is complete
				whole := text.Draw(t, "block")
				cut := strings.LastIndexByte(whole, ' ') + 1
				j.append(id, piece("0", whole[:cut], false))
				texts[fmt.Sprintf("%s:%d", id, j.sessions[id].outline.Head)] = whole
				if rapid.Bool().Draw(t, "between") {
					catchUp(t, x)
					if rapid.Bool().Draw(t, "killed") {
						if err := x.Flush(); err != nil {
							t.Fatal(err)
						}
						x.Abandon()
						x = open()
					}
				}
				j.append(id, piece("0", whole[cut:], true))
			case 4:
				catchUp(t, x)
			case 5:
				if err := x.Flush(); err != nil {
					t.Fatal(err)
				}
			case 6: // killed
				x.Abandon()
				x = open()
			case 7:
				if _, err := x.Reduce(); err != nil {
					t.Fatal(err)
				}
			}
		}
		catchUp(t, x)
		if events, _ := x.Behind(nil); events > 0 {
			t.Fatalf("%d events are missing", events)
		}
		for _, word := range []string{"alpha", "beta", "readFile", "gamma", "搜索", "x1"} {
			var want []string
			for at, text := range texts {
				if strings.Contains(strings.ReplaceAll(text, "_f", "F"), word) {
					want = append(want, at)
				}
			}
			got := hits(t, x, messages.Search{Text: word})
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(want, got) {
				t.Fatalf("%s: %v, want %v", word, got, want)
			}
		}
		if err := x.Check(); err != nil {
			t.Fatal(err)
		}
	})
}
