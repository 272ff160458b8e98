package git

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseTrees(t *testing.T) {
	text := "worktree /p/a\x00HEAD 12\x00branch refs/heads/main\x00\x00" +
		"worktree /p/b\nc\x00HEAD 34\x00detached\x00locked because\x00\x00" +
		"worktree /p/d\x00HEAD 56\x00branch refs/heads/x/y\x00locked\x00prunable gone\x00\x00" +
		"worktree /p/e\x00bare\x00\x00"
	got, err := parseTrees(text)
	want := []Tree{
		{Path: "/p/a", Commit: "12", Branch: "main"},
		{Path: "/p/b\nc", Commit: "34", Locked: true, Reason: "because"},
		{Path: "/p/d", Commit: "56", Branch: "x/y", Locked: true, Prunable: true},
		{Path: "/p/e", Bare: true},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%s, %v", diff, err)
	}
	if _, err := parseTrees("HEAD 12\x00\x00"); err == nil {
		t.Error("a tree without a path")
	}
}

func TestParseStatus(t *testing.T) {
	text := "1 .M N... 1 1 1 a b c d\x001 .D N... 1 1 1 a b c e\x002 R. N... 1 1 1 a b R100 new\x00old\x00u UU N... x\x00? dir/\x00! ignored\x00"
	got, err := parseStatus(text)
	if want := (Status{Changed: 4, Deleted: 1, Foreign: 1}); got != want || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := parseStatus("x y\x00"); err == nil {
		t.Error("an unknown line is accepted")
	}
	if err := got.distance("3\t4\n"); err != nil || got.Ahead != 3 || got.Behind != 4 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "1", "1\t-x", "x\t1"} {
		if got.distance(bad) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("worktree /a\x00\x00")
	f.Add("1 .M x\x002 R. y\x00")
	f.Add("100644 blob 12 7\ta/b")
	f.Fuzz(func(_ *testing.T, text string) {
		_, _ = parseTrees(text) // no panic
		_, _ = parseStatus(text)
		_, _ = parseFile(text)
	})
}
