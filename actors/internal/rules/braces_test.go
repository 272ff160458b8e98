package rules

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
)

// Taken apart, a glob matches what it matched as a whole.
func TestAlternatives(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same globs every time
	text := func(signs string, most int) string {
		var b strings.Builder
		for range random.IntN(most) + 1 {
			b.WriteByte(signs[random.IntN(len(signs))])
		}
		return b.String()
	}
	compared := 0
	for range 200_000 {
		glob := text("ab/*?{{}},,[]\\", 12)
		if !doublestar.ValidatePattern(glob) {
			continue
		}
		all, ok := alternatives(glob)
		if !ok {
			continue
		}
		for range 3 {
			name := text("ab/{,}[]", 5)
			want, err := doublestar.Match(glob, name)
			got := slices.ContainsFunc(all, func(g string) bool {
				is, err := doublestar.Match(g, name)
				return is && err == nil
			})
			if compared++; err == nil && got != want {
				t.Fatalf("%q and %q: %v, taken apart into %q: %v", glob, name, want, all, got)
			}
		}
	}
	if compared < 1000 {
		t.Errorf("%d comparisons", compared)
	}
}

// A match of a directory above is a match of everything below it.
func TestBelow(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // the same globs every time
	pieces := []string{"a", "b", "*", "**", "a*", "?", "{a,b/a}", "[ab]"}
	for range 50_000 {
		var globs, names []string
		for range random.IntN(3) + 1 {
			globs = append(globs, pieces[random.IntN(len(pieces))])
		}
		for range random.IntN(4) + 1 {
			names = append(names, pieces[random.IntN(2)])
		}
		p, ok := newPathPattern("./" + strings.Join(globs, "/"))
		if !ok {
			continue
		}
		want := false
		for n := range names {
			want = want || p.match(strings.Join(names[:n+1], "/"))
		}
		if got := p.below("/x", "/x/"+strings.Join(names, "/")); got != want {
			t.Fatalf("%q and %q: %v", globs, names, got)
		}
	}
}

// Neither a rule nor a call can keep a decision from ending: this took hours. A person is asked if a
// rule is too large to be compared with a call.
func TestLargeRulesAndPaths(t *testing.T) {
	deep := "/p/" + strings.Repeat("a/", 500_000) + "x"
	for name, rule := range map[string]string{
		"braces":          "Read(" + strings.Repeat("{a,a}", 24) + "x)",
		"nested braces":   "Read(" + strings.Repeat("{a,{a,", 12) + "b" + strings.Repeat("}}", 12) + "x)",
		"stars in braces": "Read(" + strings.Repeat("{**/a,**/a}/", 12) + "x)",
		"a long pattern":  "Read(" + strings.Repeat("**/a/", 500) + "x)",
		"stars":           "Read(" + strings.Repeat("a*", 400) + "x)",
		"directories":     "Read(" + strings.Repeat("**/a/", 150) + "x)",
		"plain":           "Read(x)",
	} {
		s, _ := New(Rule{Effect: Deny, Text: rule})
		for _, file := range []string{deep, "/p" + strings.Repeat("/a", 2000), strings.Repeat("a", 4000)} {
			call := Call{Tool: "Read", Input: InputOf("Read", file), Place: Place{Directory: "/p", Home: "/h"}}
			call.Real = Resolve(call)
			if v := s.Decide(call); v.Effect == None && (len(file) > 1<<16 || name == "braces" || name == "stars in braces" || name == "a long pattern") {
				t.Errorf("%s: %v", name, v)
			}
			shell := Call{Tool: "Bash", Input: InputOf("Bash", "cat "+file[:min(len(file), 60_000)]), Place: call.Place}
			shell.Real = Resolve(shell)
			s.Decide(shell)
		}
	}
}
