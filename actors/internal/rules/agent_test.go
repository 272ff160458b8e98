package rules

import (
	"slices"
	"testing"
)

func TestForAgent(t *testing.T) {
	set := mustSet(t, Deny, "Read(/etc/x)", "Read(//etc/y)", "Bash(/bin/rm *)", "WebFetch", "Edit(docs/**)")
	want := []string{"Read(/etc/x)", "Read(//etc/x)", "Read(//etc/y)", "Bash(/bin/rm *)", "WebFetch", "Edit(docs/**)"}
	if got := set.ForAgent(Deny); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLacking(t *testing.T) {
	if got := Lacking([]string{"a", "b", "a", "c"}, []string{"b"}); !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("%q", got)
	}
}
