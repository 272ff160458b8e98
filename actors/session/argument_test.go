package session

import (
	"slices"
	"strings"
	"testing"

	"betcode/actors/pool"
	"betcode/actors/session/slot"
	"betcode/messages"
)

// A value that cannot be an argument, from settings or an older journal, blocks the
// session; the actor does not crash, and the pool has its slot back.
func TestArgumentThatIsRefused(t *testing.T) {
	for name, spoil := range map[string]func(*messages.StartSession){
		"model":                 func(m *messages.StartSession) { m.Model = " -x" },
		"model behind NBSP":     func(m *messages.StartSession) { m.Model = "\u00a0--x" },
		"control characters":    func(m *messages.StartSession) { m.Model = "a\nb" },
		"allowed tool":          func(m *messages.StartSession) { m.AllowedTools = []string{" --x"} },
		"denied tool":           func(m *messages.StartSession) { m.DeniedTools = []string{"\u2003--x"} },
		"invisible before dash": func(m *messages.StartSession) { m.AllowedTools = []string{"\u200b--x"} },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			m := start("ann")
			spoil(&m)
			b.tell(m)
			b.tell(input("ann", "k1"))
			told := b.toldPool()
			if len(told) == 0 || told[len(told)-1] != any(pool.Release{Session: sessionA}) || b.state.slot.State() != slot.None {
				t.Errorf("the pool was told %v, the session says %d", told, b.state.slot.State())
			}
			if r := b.state.record; r.Condition != messages.ArgumentRefused || r.Phase != messages.PhaseCrashed || r.Run != 0 || b.state.active() {
				t.Errorf("%+v", r)
			}
			b.crash() // the next actor does not try again by itself
			if said := b.quiet(); slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, "start with") }) {
				t.Errorf("%v", said)
			}
			b.tell(input("ann", "k2")) // a person's try ends the same way
			if told := b.toldPool(); b.state.slot.State() != slot.None || b.state.record.Condition != messages.ArgumentRefused {
				t.Errorf("the pool was told %v, the session says %d, %q", told, b.state.slot.State(), b.state.record.Condition)
			}
		})
	}
}

// With another model the session goes on, with everything that waited.
func TestArgumentThatIsMended(t *testing.T) {
	b := newBench(t)
	m := start("ann")
	m.Model = " -x"
	b.tell(m)
	b.tell(input("ann", "k1"))
	b.tell(messages.ChangeSettings{Session: sessionA, Client: "ann", Model: "opus"})
	b.tell(messages.RestartSession{Session: sessionA})
	if r := b.state.record; r.Condition != "" || r.Run != 1 || !b.state.active() || len(b.state.inputs) != 1 {
		t.Errorf("%+v, %d inputs", r, len(b.state.inputs))
	}
}
