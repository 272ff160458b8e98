package render

import (
	"testing"

	pb "betcode/proto/betcode/v1"
)

// A resolution says what a person allowed in place of what was asked, and what a question was answered with.
func TestResolution(t *testing.T) {
	for want, p := range map[string]*pb.PermissionResolved{
		"allow once by web": {Decision: pb.PermissionDecision_ALLOW_ONCE},
		`allow with edit by web: touch edited\x1b[2J`: {
			Decision: pb.PermissionDecision_ALLOW_WITH_EDIT, Description: "touch edited\x1b[2J",
		},
		`answered by web: Name it → in \x1b[31mwords; Which? → dev`: {
			Decision: pb.PermissionDecision_ALLOW_ONCE, Answers: map[string]string{"Which?": "dev", "Name\nit": "in \x1b[31mwords"},
		},
	} {
		p.ResolvedBy, p.Reason = "web", "client"
		if got := resolution(p); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
