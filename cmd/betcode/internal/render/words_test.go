package render

import (
	"testing"

	pb "betcode/proto/betcode/v1"
)

// A resolution shows the edited call that a person allowed, and the answer to a question.
func TestResolution(t *testing.T) {
	for want, p := range map[string]*pb.PermissionResolved{
		"allowed by web": {Decision: pb.PermissionDecision_ALLOW_ONCE},
		`allowed with an edit by web: touch edited\x1b[2J`: {
			Decision: pb.PermissionDecision_ALLOW_WITH_EDIT, Description: "touch edited\x1b[2J",
		},
		`answered by web: Name it → in \x1b[31mwords; Which? → dev`: {
			Decision: pb.PermissionDecision_ALLOW_ONCE, Answers: map[string]string{"Which?": "dev", "Name\nit": "in \x1b[31mwords"},
		},
	} {
		p.ResolvedBy, p.Reason = "web", "client"
		if got := resolution(p, nil, ""); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Answers are listed in the order of the questions, not of their letters.
func TestAnswersInOrder(t *testing.T) {
	var a asked
	for range maxAsked {
		a.ask("Zero?")
	}
	for _, question := range []string{"Which branch?", "Which checks?", "Go on?"} {
		a.ask(question)
	}
	given := map[string]string{"Go on?": "yes", "Which branch?": "main", "Which checks?": "lint, test", "Another?": "no"}
	const want = "Another? → no; Which branch? → main; Which checks? → lint, test; Go on? → yes"
	if got := answers(given, a); got != want || len(a) != maxAsked {
		t.Errorf("%s of %d questions, want %s", got, len(a), want)
	}
}
