package plangraph

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"betcode/messages/visible"
)

var (
	dotLine     = regexp.MustCompile(`^  "([^"\\]|\\["\\n])*"( -> "([^"\\]|\\["\\n])*"| \[label="([^"\\]|\\["\\n])*"(, shape=hexagon, style=filled)?(, fillcolor="#[0-9a-f]{6}")?\]);$`)
	mermaidLine = regexp.MustCompile("^  (s[0-9]+ --> s[0-9]+|s[0-9]+(\\[|\\{\\{)\"([^\"<>&#;`]|<br/>|#[0-9]+;)*\"(\\]|\\}\\})|style s[0-9]+ fill:#[0-9a-f]{6})$")
)

// No id, name, branch or status leaves its quotes, begins a line or reaches the terminal.
func TestHostileWords(t *testing.T) {
	for i, word := range []string{
		`a"]; evil [label="b`, `ends with \`, `\"; evil`, "a\n  evil -> a", "a\r\n  evil", "a\rb", "\x1b[2J\x1b]0;title\a", "\u202egnp", "a\u2028b", "\x9b2J", "\xff",
		`a"] --> evil["b`, "a\"]\nclick a \"javascript:alert(1)\"", "`markdown`", "#quot;", "<script>", "<br/>", "%%{init: {}}%%", "end", "}}", "\ttab", "\x00",
	} {
		for place, n := range map[string]Node{
			"id": {ID: word}, "name": {ID: "a", Name: word}, "merge": {ID: "a", Merge: word}, "status": {ID: "a", Status: word},
			"dependency": {ID: "a", DependsOn: []string{word}},
		} {
			t.Run(fmt.Sprint(i, place), func(t *testing.T) {
				nodes := []Node{{ID: word, Status: "failed"}, n, {ID: "last", DependsOn: []string{n.ID}}}
				dot := strings.Split(strings.TrimSuffix(DOT(nodes), "}\n"), "\n")[3:]
				for _, line := range dot[:len(dot)-1] {
					if !dotLine.MatchString(line) {
						t.Errorf("DOT: %q", line)
					}
				}
				mermaid := strings.Split(strings.TrimSuffix(Mermaid(nodes), "\n"), "\n")[1:]
				for _, line := range mermaid {
					if !mermaidLine.MatchString(line) {
						t.Errorf("Mermaid: %q", line)
					}
				}
				for _, line := range append(dot, mermaid...) {
					if shown := visible.Text(line); shown != line {
						t.Errorf("the terminal gets %q", line)
					}
				}
			})
		}
	}
}
