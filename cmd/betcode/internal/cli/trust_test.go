package cli

import (
	"path/filepath"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
)

// reviewOf returns the fake daemon's review of a directory, by its name.
func reviewOf(directory string) *pb.DirectoryReview {
	r := &pb.DirectoryReview{Directory: directory, Digest: "seen", Findings: []*pb.DirectoryFinding{
		{Kind: "hook", Path: directory + "/.claude/settings.json", Text: "SessionStart: touch \x1b[2Jx"},
		{Kind: "allow", Path: directory + "/.claude/settings.json", Text: "Bash(*)"},
	}}
	switch filepath.Base(directory) {
	case "empty":
		return &pb.DirectoryReview{Directory: directory, Empty: true, Trusted: true}
	case "same":
		r.Trusted = true
	case "foreign":
		r.Problems = []string{"/x/.mcp.json: belongs to another user"}
	case "changed":
		r.Known, r.Changes = true, []*pb.DirectoryFinding{{Mark: "+", Kind: "allow", Path: directory + "/.claude/settings.json", Text: "Bash(*)"}}
	}
	return r
}

func TestTrustCommand(t *testing.T) {
	serveFake(t, &fakeDaemon{})
	for _, test := range []struct {
		args string
		code int
		want []string
	}{
		{"--list", 0, []string{"/trusted\n"}},
		{"--list /x", 5, []string{"trust --list takes no directory and no --yes or --remove"}},
		{"--list --yes", 5, []string{"trust --list takes no directory and no --yes or --remove"}},
		{"/x", 5, []string{"hook     SessionStart: touch ", "allow    Bash(*)", "standard input is not a terminal; to trust /x without being asked, add --yes"}},
		{"--yes /x", 0, []string{"/x/.claude/settings.json", "/x is trusted with these files."}},
		{"--yes /x/changed", 0, []string{"Changed since you trusted it:", "+ allow    Bash(*)", "is trusted"}},
		{"--yes /x/foreign", 1, []string{"problem", "/x/foreign cannot be trusted: /x/.mcp.json: belongs to another user"}},
		{"/x/empty", 0, []string{"There is nothing in /x/empty"}},
		{"/x/same", 0, []string{"/x/same is trusted with these files."}},
		{"--remove /x", 0, []string{"/x is no longer trusted"}},
	} {
		code, out, stderr := command(t, "", append([]string{"trust"}, strings.Fields(test.args)...)...)
		for _, want := range test.want {
			if !strings.Contains(out+stderr, want) {
				t.Errorf("%s: %q is missing", test.args, want)
			}
		}
		if code != test.code || strings.Contains(out, "\x1b") {
			t.Errorf("%s: exit %d, %q, %s", test.args, code, out, stderr)
		}
	}
}
