package plangraph

import (
	"strings"
	"testing"
)

var nodes = []Node{
	{ID: "end", Name: `say "done" <b>`, DependsOn: []string{"a", "b"}, Status: "pending"},
	{ID: "a", Status: "completed"},
	{ID: "m", Merge: "main", DependsOn: []string{"a"}},
	{ID: "b", Status: "failed", Attempt: 2, Note: "it\nbroke", DependsOn: []string{"a"}},
}

func TestLines(t *testing.T) {
	want := "✓ a\n· m ← a ⇒ main\n✗ b failed (attempt 2) ← a: it broke\n· end (say \"done\" <b>) ← a, b"
	if got := strings.Join(Lines(nodes, false, 80), "\n"); got != want {
		t.Errorf("%s", got)
	}
	circle := []Node{{ID: "x", DependsOn: []string{"y"}}, {ID: "y", DependsOn: []string{"x"}}, {ID: "z"}}
	if got := strings.Join(Lines(circle, false, 80), "\n"); got != "· z\n· x ← y\n· y ← x" {
		t.Errorf("%s", got)
	}
}

func TestDOT(t *testing.T) {
	got := DOT(nodes)
	for _, want := range []string{`"end" [label="end\nsay \"done\" <b>\npending"];`, `"b" [label="b\nfailed", fillcolor="#ffc9c9"];`, `"a" -> "end";`, `"a" -> "b";`, `"m" [label="m\n⇒ main", shape=hexagon, style=filled];`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

func TestMermaid(t *testing.T) {
	got := Mermaid(nodes)
	for _, want := range []string{"flowchart LR\n", `s1["end<br/>say #34;done#34; #60;b#62;<br/>pending"]`, "s2 --> s1", "s2 --> s4", "style s4 fill:#ffc9c9", `s3{{"m<br/>⇒ main"}}`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

// A step stands below the dependency that comes last before it, and names the others.
func TestTree(t *testing.T) {
	nodes := []Node{
		{ID: "report", DependsOn: []string{"test", "lint"}, Status: "pending"},
		{ID: "plan", Status: "completed"},
		{ID: "build", DependsOn: []string{"plan"}, Status: "running", Attempt: 2},
		{ID: "test", DependsOn: []string{"build"}, Status: "failed", Note: "exit\x1b[2J 1"},
		{ID: "lint", DependsOn: []string{"plan"}, Status: "completed"},
		{ID: "a", DependsOn: []string{"b"}},
		{ID: "b", DependsOn: []string{"a"}},
	}
	want := `✓ plan
├ ▶ build running (attempt 2)
│ └ ✗ test failed: exit\x1b[2J 1
│   └ · report ← lint
└ ✓ lint
· a ← b
└ · b`
	var got []string
	for _, row := range Tree(nodes, false, 60) {
		got = append(got, row.Text)
	}
	if strings.Join(got, "\n") != want {
		t.Errorf("drawn\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}
