package console

import (
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
	"pgregory.net/rapid"
)

func write(t interface{ Fatal(...any) }, layout Layout, columns []Column, rows ...[]string) string {
	table := NewTable(layout, columns)
	for _, row := range rows {
		table.Add(row...)
	}
	var out strings.Builder
	if err := table.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestTableFits(t *testing.T) {
	columns := []Column{{Title: "ID", Whole: true}, {Title: "WHAT"}, {Title: "WHERE"}, {Title: "MORE", Wide: true}}
	row := []string{"3f2a0000", "a sentence of some length", "/home/ann/project", "x"}
	for name, test := range map[string]struct {
		layout Layout
		want   string
	}{
		"program":    {Layout{}, "3f2a0000\ta sentence of some length\t/home/ann/project\tx\n"},
		"unlimited":  {Layout{Aligned: true}, "3f2a0000  a sentence of some length  /home/ann/project\n"},
		"wide":       {Layout{Aligned: true, Wide: true, Width: 30}, "3f2a0000  a sentence of some length  /home/ann/project  x\n"},
		"the widest": {Layout{Aligned: true, Width: 50}, "3f2a0000  a sentence of some l…  /home/ann/project\n"},
		"both":       {Layout{Aligned: true, Width: 36}, "3f2a0000  a sentence …  /home/ann/p…\n"},
		"too narrow": {Layout{Aligned: true, Width: 10}, "3f2a0000  a sen…  /home…\n"},
		"header":     {Layout{Aligned: true, Header: true}, "ID        WHAT                       WHERE\n3f2a0000  a sentence of some length  /home/ann/project\n"},
	} {
		if got := write(t, test.layout, columns, row); got != test.want {
			t.Errorf("%s\ngot  %q\nwant %q", name, got, test.want)
		}
	}
}

// At 80 columns a list keeps ids, states and names, shows the ends of paths, and shortens sentences before names.
func TestTableShortens(t *testing.T) {
	columns := []Column{{Title: "ID", Whole: true}, {Title: "NAME"}, {Title: "STATE", Whole: true}, {Title: "COST", Whole: true}, {Title: "DIRECTORY", Path: true}, {Title: "WHY", Text: true}}
	const head, row = "ID        NAME                STATE    COST   DIRECTORY", "\n3f2a0000  fix the login form  waiting  $0.12  "
	for name, test := range map[string]struct{ directory, why, want string }{
		"all of it":  {"/src/shop", "rm -rf dist", head + "  WHY" + row + "/src/shop  rm -rf dist\n"},
		"a path":     {"/home/ann/work/customers/shop", "rm -rf dist", head + "              WHY" + row + "…/work/customers/shop  rm -rf dist\n"},
		"a sentence": {"/src/shop", "find . -name node_modules -exec rm -rf {} +", head + "  WHY" + row + "/src/shop  find . -name node_modu…\n"},
		"both":       {"/home/ann/work/customers/shop", "find . -name node_modules -exec rm -rf {} +", head + "     WHY" + row + "…tomers/shop  find . -name node_m…\n"},
	} {
		if got := write(t, Layout{Aligned: true, Header: true, Width: 80}, columns, []string{"3f2a0000", "fix the login form", "waiting", "$0.12", test.directory, test.why}); got != test.want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", name, got, test.want)
		}
	}
}

// A narrow list shortens neither ids nor states nor numbers, and the widest column first.
func TestNarrowListsKeepIDsAndStates(t *testing.T) {
	columns := Columns("", "ID", "NAME", "BRANCH", "STATE", "WORK", "SESSIONS", "LEASES", "PATH")
	row := []string{"*", "fb31df30", "feature-auth", "feature/auth", "missing", "clean", "2", "", "/home/ann/src/api-feature-auth"}
	const want = "   ID        NAME    BRANCH  STATE    WORK   SESSIONS  LEASES  PATH\n*  fb31df30  featu…  featu…  missing  clean  2                 …-auth\n"
	for _, width := range []int{40, 60} {
		if got := write(t, Layout{Aligned: true, Header: true, Width: width}, columns, row); got != want {
			t.Errorf("%d columns\ngot\n%s\nwant\n%s", width, got, want)
		}
	}
	const wider = "   ID        NAME          BRANCH        STATE    WORK   SESSIONS  LEASES  PATH\n*  fb31df30  feature-auth  feature/auth  missing  clean  2                 …api-feature-auth\n"
	if got := write(t, Layout{Aligned: true, Header: true, Width: 92}, columns, row); got != wider {
		t.Errorf("got\n%s\nwant\n%s", got, wider)
	}
}

// No line is longer than the screen, unless every column has its least width.
func TestTableFitsAlways(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 6).Draw(t, "columns")
		cell := rapid.StringOfN(rapid.RuneFrom([]rune("ab é漢字e\u0301")), 0, 60, -1)
		rows := rapid.SliceOfN(rapid.SliceOfN(cell, columns, columns), 1, 5).Draw(t, "rows")
		kinds := rapid.SliceOfN(rapid.SampledFrom([]Column{{}, {Path: true}, {Text: true}}), columns, columns).Draw(t, "kinds")
		width := rapid.IntRange(columns*(leastWidth+gap), 120).Draw(t, "width")
		for line := range strings.Lines(write(t, Layout{Aligned: true, Width: width}, kinds, rows...)) {
			if n := runewidth.StringWidth(strings.TrimSuffix(line, "\n")); n > width {
				t.Fatalf("%d columns of %d: %q", n, width, line)
			}
		}
	})
}
