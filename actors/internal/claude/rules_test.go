package claude

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRules plays the stories in testdata/rules. A story begins with "# what it
// shows"; "> line" is a line of the agent, "> @end" the end of its process and
// "> @torn fragment" a torn line; what follows is what they mean. -update writes
// it.
func TestRules(t *testing.T) {
	files, err := filepath.Glob("testdata/rules/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no rules: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(string(b))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(strings.Split(string(b), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		})
	}
}

// play returns the stories with what their lines mean.
func play(script string) string {
	var out strings.Builder
	var s State
	for l := range strings.Lines(script) {
		l = strings.TrimSuffix(l, "\n")
		var items []Item
		switch {
		case strings.HasPrefix(l, "# "):
			if out.Len() > 0 {
				out.WriteString("\n")
			}
			s = State{}
		case l == "> @end":
			s, items = EndRun(s, recorded)
		case strings.HasPrefix(l, "> @torn "):
			s, items = TranslateTorn(s, []byte(strings.TrimPrefix(l, "> @torn ")), recorded)
		case strings.HasPrefix(l, "> "):
			s, items = Translate(s, []byte(l[2:]), recorded)
		default:
			continue
		}
		out.WriteString(l + "\n")
		for _, i := range items {
			out.WriteString(render(i) + "\n")
		}
	}
	return out.String()
}

// stories are the lines of all rules, story by story.
func stories(t testing.TB) [][]string {
	files, err := filepath.Glob("testdata/rules/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no rules: %v", err)
	}
	var all [][]string
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, story := range strings.Split(string(b), "\n\n") {
			var lines []string
			for l := range strings.Lines(story) {
				if l, ok := strings.CutPrefix(strings.TrimSuffix(l, "\n"), "> "); ok && !strings.HasPrefix(l, "@") {
					lines = append(lines, l)
				}
			}
			all = append(all, lines)
		}
	}
	return all
}
