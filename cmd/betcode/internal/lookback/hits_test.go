package lookback

import (
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
)

func TestMarked(t *testing.T) {
	ranges := func(at ...uint32) (all []*pb.TextRange) {
		for i := 0; i < len(at); i += 2 {
			all = append(all, &pb.TextRange{Start: at[i], End: at[i+1]})
		}
		return all
	}
	for _, c := range []struct {
		text    string
		matches []*pb.TextRange
		want    string
	}{
		{"a needle here", ranges(2, 8), "a <needle> here"},
		{"x", ranges(0, 1), "<x>"},
		{"\x1b[31mred", ranges(0, 8), `<\x1b[31mred>`},
		{"ab", ranges(1, 9), "ab"},
		{"ab", ranges(1, 0), "ab"},
		{"abc", ranges(0, 2, 1, 3), "<ab>c"},
	} {
		got := Marked(&pb.SearchHit{Snippet: c.text, Matches: c.matches}, true)
		got = strings.NewReplacer("\x1b[1m\x1b[33m", "<", "\x1b[0m\x1b[0m", ">").Replace(got)
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
		if plain := Marked(&pb.SearchHit{Snippet: c.text, Matches: c.matches}, false); plain != strings.NewReplacer("<", "", ">", "").Replace(c.want) {
			t.Errorf("%q without colour: %q", c.text, plain)
		}
	}
}

// The text sought begins with the first match, without the sign that more follows; ranges that do not fit are no match.
func TestSought(t *testing.T) {
	for want, h := range map[string]*pb.SearchHit{
		"needle in hay": {Snippet: "… hay needle in hay …", Matches: []*pb.TextRange{{Start: 8, End: 14}, {Start: 18, End: 21}}},
		"hay":           {Snippet: "hay", Matches: []*pb.TextRange{{Start: 30, End: 31}, {Start: 0, End: 3}}},
		"":              {Snippet: "hay"},
	} {
		if got := Sought(h); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
