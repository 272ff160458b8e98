package search

import (
	"context"
	"strings"
	"testing"
	"time"

	"betcode/messages"
)

var background = context.Background()

// example is a journal with two sessions.
func example() *journal {
	j := newJournal()
	j.append("a",
		said("please mend readFile in the parser"), // 1
		piece("0", "I will look ", false),          // 2
		piece("0", "at the parser.", true),
		called("t1", "Read", map[string]any{"file_path": "/src/parser/read_file.go"}), // 4
		returned("t1", "func readFile(path string) error"),                            // 5
		called("t2", "Bash", map[string]any{"command": "go test ./parser"}),           // 6
		returned("t2", "ok parser 0.2s"),                                              // 7
	)
	j.append("b", said("Привет, мир! 搜索历史"), said("the parser is a different one"))
	return j
}

func TestFind(t *testing.T) {
	x := opened(t, example(), t.TempDir())
	defer x.Abandon()
	for _, c := range []struct {
		name string
		m    messages.Search
		want string
	}{
		{"a word", messages.Search{Text: "parser"}, "b:2 a:7 a:6 a:4 a:2 a:1"},
		{"words are all wanted", messages.Search{Text: "parser mend"}, "a:1"},
		{"a phrase over pieces", messages.Search{Text: `"look at the parser"`}, "a:2"},
		{"a phrase has an order", messages.Search{Text: `"parser the at"`}, ""},
		{"excluded", messages.Search{Text: "parser -test -mend"}, "b:2 a:7 a:4 a:2"},
		{"excluded phrase", messages.Search{Text: `parser -"the parser"`}, "a:7 a:6 a:4"},
		{"prefix", messages.Search{Text: "pars*"}, "b:2 a:7 a:6 a:4 a:2 a:1"},
		{"phrase with prefix", messages.Search{Text: `"the pars"*`}, "b:2 a:2 a:1"},
		{"identifier", messages.Search{Text: "readFile"}, "a:5 a:4 a:1"},
		{"another spelling", messages.Search{Text: "read_file"}, "a:5 a:4 a:1"},
		{"in one piece", messages.Search{Text: "readfile"}, "a:5 a:4 a:1"},
		{"a path", messages.Search{Text: "parser/read_file.go"}, "a:4"},
		{"Cyrillic", messages.Search{Text: "МИР"}, "b:1"},
		{"Chinese", messages.Search{Text: "搜索"}, "b:1"},
		{"one character", messages.Search{Text: "史"}, "b:1"},
		{"kind", messages.Search{Text: "parser", Kinds: []messages.SearchKind{messages.SearchUser, messages.SearchAssistant}}, "b:2 a:2 a:1"},
		{"tool", messages.Search{Text: "parser", Tools: []string{"bash"}}, "a:7 a:6"},
		{"tool alone", messages.Search{Tools: []string{"Read"}}, "a:5 a:4"},
		{"kind alone", messages.Search{Kinds: []messages.SearchKind{messages.SearchUser}}, "b:2 b:1 a:1"},
		{"file", messages.Search{File: "/src/parser/read_file.go"}, "a:4"},
		{"directory", messages.Search{File: "/src/parser"}, "a:4"},
		{"part of a name", messages.Search{File: "/src/pars"}, ""},
		{"name of a file", messages.Search{File: "read_file.go"}, "a:4"},
		{"session", messages.Search{Text: "parser", Sessions: []messages.SessionID{"b"}}, "b:2"},
		{"session alone", messages.Search{Sessions: []messages.SessionID{"b"}}, "b:2 b:1"},
		{"no session", messages.Search{Text: "parser", Sessions: []messages.SessionID{}}, ""},
		{"since", messages.Search{Text: "parser", Since: dawn.Add(7 * time.Minute)}, "b:2 a:7"},
		{"until", messages.Search{Text: "parser", Until: dawn.Add(2 * time.Minute)}, "a:1"},
		{"nothing", messages.Search{Text: "absent"}, ""},
		{"nothing with others", messages.Search{Text: "parser absent"}, ""},
	} {
		for _, where := range []string{"memory", "file"} {
			if got := strings.Join(hits(t, x, c.m), " "); got != c.want {
				t.Errorf("%s in the %s: %s, want %s", c.name, where, got, c.want)
			}
			if where == "memory" && c.name == "nothing with others" {
				if err := x.Flush(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := x.Check(); err != nil {
		t.Error(err)
	}
	for _, text := range []string{"parser", `"the parser"`, "pars*", "史"} { // now from the file
		if len(hits(t, x, messages.Search{Text: text})) == 0 {
			t.Errorf("%s is not found in the file", text)
		}
	}
}

// Relevance puts the message that is about the word before one that only contains it.
func TestRelevance(t *testing.T) {
	j := newJournal()
	j.append("a", said("needle "+strings.Repeat("hay ", 300)), said("needle needle"), said(strings.Repeat("hay ", 10)))
	x := opened(t, j, t.TempDir())
	defer x.Abandon()
	found, err := x.Find(background, messages.Search{Text: "needle", Limit: 9}, nil)
	if err != nil || len(found.Hits) != 2 || found.Hits[0].Seq != 2 || found.Hits[0].Score <= found.Hits[1].Score {
		t.Errorf("%+v, %v", found, err)
	}
}

// Pages follow each other without a gap, in both orders.
func TestPages(t *testing.T) {
	j := newJournal()
	for i := range 25 {
		j.append(messages.SessionID(rune('a'+i%3)), said(strings.Repeat("word ", 1+i%4)))
	}
	x := opened(t, j, t.TempDir())
	defer x.Abandon()
	for _, byTime := range []bool{false, true} {
		m := messages.Search{Text: "word", Limit: 4, ByTime: byTime}
		var seen []messages.SearchHit
		for pages := 0; ; pages++ {
			found, err := x.Find(background, m, nil)
			if err != nil || found.Total != 25 || pages > 7 {
				t.Fatalf("page %d: %d in all, %v", pages, found.Total, err)
			}
			seen = append(seen, found.Hits...)
			if m.After = found.Next; m.After == "" {
				break
			}
		}
		distinct := map[string]bool{}
		for _, h := range seen {
			distinct[string(h.Session)+string(rune(h.Seq))] = true
		}
		if len(seen) != 25 || len(distinct) != 25 {
			t.Errorf("by time %v: %d hits, %d of them distinct", byTime, len(seen), len(distinct))
		}
		m.Text, m.After = "other", "AAAA"
		if _, err := x.Find(background, m, nil); messages.KindOf(err) != messages.Invalid {
			t.Errorf("a token of another search: %v", err)
		}
	}
}

func TestFindRefuses(t *testing.T) {
	x := opened(t, example(), t.TempDir())
	defer x.Abandon()
	for _, m := range []messages.Search{
		{}, {Text: "-a"}, {Text: "..."}, {Text: strings.Repeat("x", 5000)}, {Text: "x*"}, {Text: "a", Kinds: []messages.SearchKind{"dream"}}, {Text: "a", After: "%"},
	} {
		if _, err := x.Find(background, m, nil); messages.KindOf(err) != messages.Invalid {
			t.Errorf("%+v: %v", m, err)
		}
	}
	ended, cancel := context.WithCancel(background)
	cancel()
	if _, err := x.Find(ended, messages.Search{Text: "parser"}, nil); messages.KindOf(err) != messages.Canceled {
		t.Errorf("canceled: %v", err)
	}
}

// Deleted and trimmed events are not found from then on, and are removed from the file.
func TestWhatIsGoneIsNotFound(t *testing.T) {
	j := example()
	x := opened(t, j, t.TempDir())
	defer x.Abandon()
	if err := x.Flush(); err != nil {
		t.Fatal(err)
	}
	delete(j.sessions, "b")
	j.sessions["a"].outline.LowWater = 4
	if got := hits(t, x, messages.Search{Text: "parser"}); strings.Join(got, " ") != "a:7 a:6" {
		t.Errorf("found %v", got)
	}
	if done, err := x.Sweep(); !done || err != nil {
		t.Fatalf("swept %v, %v", done, err)
	}
	if done, err := x.Sweep(); done || err != nil {
		t.Fatalf("swept again %v, %v", done, err)
	}
	if got := hits(t, x, messages.Search{Text: "parser"}); strings.Join(got, " ") != "a:7 a:6" {
		t.Errorf("found after the sweep: %v", got)
	}
	if err := x.Check(); err != nil {
		t.Error(err)
	}
}

// An index above its bound drops its oldest segments, and answers report from when on they are complete. Dropped events
// do not count as behind.
func TestBound(t *testing.T) {
	j := newJournal()
	x := opened(t, j, t.TempDir())
	defer x.Abandon()
	for range 5 {
		j.append("a", said("needle "+strings.Repeat("hay ", 50)))
		catchUp(t, x)
		if err := x.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if done, err := x.Reduce(); done || err != nil {
		t.Fatalf("without a bound: %v, %v", done, err)
	}
	find := func() messages.SearchFound {
		found, err := x.Find(background, messages.Search{Text: "needle", ByTime: true, Limit: 9}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	all := find()
	x.SetMaxBytes(1)
	for left := 5; left > 1; left-- {
		if done, err := x.Reduce(); !done || err != nil {
			t.Fatalf("%d segments: %v, %v", left, done, err)
		}
		found, newestDropped := find(), all.Hits[left-1].At
		if len(found.Hits) != left-1 || found.Behind != 0 || !found.Dropped.Equal(newestDropped) {
			t.Fatalf("%d hits, %d behind, dropped up to %v, want %v", len(found.Hits), found.Behind, found.Dropped, newestDropped)
		}
	}
	if done, err := x.Reduce(); done || err != nil {
		t.Errorf("the last segment: %v, %v", done, err)
	}
}
