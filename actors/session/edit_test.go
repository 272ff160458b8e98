package session

import (
	"strings"
	"testing"

	"betcode/actors/internal/rules"
	"betcode/actors/session/prompts"
	"betcode/messages"
)

// An edit that is kept for an agent that asks again is checked again: rules may have
// changed since. Then the call is asked about as if nobody had answered.
func TestKeptEditIsCheckedAgain(t *testing.T) {
	b := orphaned(t)
	edited := answer("bob", "p1", messages.AllowWithEdit)
	edited.Updated = []byte(`{"command":"rm -l"}`)
	b.tell(won(edited))
	b.crash()
	b.tell(b.adopted())
	b.quiet()
	again := asks("r1", "Bash")
	b.tell(b.out(again))
	looked := false
	for _, e := range b.effects {
		look, ok := e.(lookAround)
		looked = looked || ok && string(look.edit) == string(edited.Updated)
	}
	if !looked {
		t.Fatalf("nobody looks at the edited input: %q", b.said)
	}
	b.quiet()
	b.tell(lookedAround{request: "r1", directory: &rules.Set{}, edit: "a rule forbids the edited call"})
	said := strings.Join(b.quiet(), "\n")
	if !strings.Contains(said, "notice PERMISSION_EDIT_DROPPED") || !strings.Contains(said, "request r1") || strings.Contains(said, "answer r1") {
		t.Errorf("%s", said)
	}
	if p := b.state.prompts.Get("r1"); !prompts.Undecided(p) || b.state.prompts.Len() != 1 {
		t.Errorf("%+v", b.state.prompts)
	}
}
