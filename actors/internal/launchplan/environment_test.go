package launchplan

import "testing"

func TestEnvironmentOfAnAgent(t *testing.T) {
	p := New(Deps{Inherited: []string{"PATH=/bin", "KEY=sk"}})
	got := p.Environment(map[string]string{"VIRTUAL_ENV": "/v", "PATH": "/v/bin"})
	if want := []string{"PATH=/bin", "KEY=sk", "PATH=/v/bin", "VIRTUAL_ENV=/v"}; len(got) != 4 || got[0] != want[0] || got[2] != want[2] || got[3] != want[3] {
		t.Errorf("%q", got) // the last of a name counts
	}
	if len(p.deps.Inherited) != 2 {
		t.Error("the daemon's own has changed")
	}
}
