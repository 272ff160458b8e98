package trust

import (
	"fmt"
	"reflect"
	"testing"

	"betcode/messages"
)

func TestWithheld(t *testing.T) {
	many := make([]messages.DirectoryFinding, 3)
	for i := range many {
		many[i] = messages.DirectoryFinding{Kind: "allow", Path: "/p"}
	}
	for want, g := range map[string]messages.Guard{
		"1 hook":                                         {Withheld: []messages.DirectoryFinding{{Kind: "hook"}}},
		"1 MCP server, 3 allow rules":                    {Withheld: append(many, messages.DirectoryFinding{Kind: "server"})},
		"1 unreadable file, a.json: bad, b, c":           {Withheld: []messages.DirectoryFinding{{Kind: "broken"}}, Problems: []string{"a.json: bad", "b", "c", "d"}},
		"files were removed since":                       {},
		"2 hooks, 1 other file, 1 program that git runs": {Withheld: []messages.DirectoryFinding{{Kind: "hook"}, {Kind: "file"}, {Kind: "hook"}, {Kind: "git"}}},
	} {
		if got := Withheld(g); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Each file is named once, and at most 50 are.
func TestFiles(t *testing.T) {
	var g messages.Guard
	for i := range 120 {
		g.Withheld = append(g.Withheld, messages.DirectoryFinding{Path: fmt.Sprint(i / 2)})
	}
	files := Files(g)
	if len(files) != 50 || !reflect.DeepEqual(files[:3], []string{"0", "1", "2"}) {
		t.Errorf("%d: %v", len(files), files)
	}
}
