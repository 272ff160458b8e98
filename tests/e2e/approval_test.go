package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// These stories are about an agent that tries to approve itself. What it runs
// waits until a request is pending, tries to allow it, and writes down what came
// of that.

// attempt is the script. Its one argument names the attempt.
const attempt = `#!/bin/sh
cd %q || exit
while [ -z "$request" ]; do request=$(%q --socket %q permission list | cut -f1 | grep -v REQUEST); sleep 0.2; done
%[2]q --socket %[3]q permission allow --always "$request" >"$1.out" 2>&1
echo $? >"$1.tmp"
%[2]q --socket %[3]q permission allow "$request" >>"$1.out" 2>&1
%[2]q --socket %[3]q run --allow-tools Bash "run:touch forbidden" >>"$1.out" 2>&1
%[2]q --socket %[3]q daemon stop >>"$1.out" 2>&1
%[2]q --socket %[3]q daemon restart >>"$1.out" 2>&1
mv "$1.tmp" "$1.code"
`

// attempts are the ways in which the script is started, by name.
var attempts = map[string]string{
	"plain":    "sh try.sh plain </dev/null >/dev/null 2>&1 &",
	"unset":    "env -u BETCODE_RUN_TOKEN sh try.sh unset </dev/null >/dev/null 2>&1 &",
	"scrubbed": `env -i PATH="$PATH" HOME="$HOME" sh try.sh scrubbed </dev/null >/dev/null 2>&1 &`,
	"orphan":   `(env -i PATH="$PATH" HOME="$HOME" setsid -f sh try.sh orphan </dev/null >/dev/null 2>&1 &) ;`,
}

// allAttempts is one command that starts all of them and ends.
func allAttempts() string {
	var b strings.Builder
	for _, command := range attempts {
		b.WriteString(command + " ")
	}
	return b.String() + " echo started"
}

// prepareAttempts writes the script where the agent works.
func (s *story) prepareAttempts() {
	s.Helper()
	script := fmt.Sprintf(attempt, s.world.Project, s.world.Binary, s.world.Socket())
	if err := os.WriteFile(s.file("try.sh"), []byte(script), 0o700); err != nil {
		s.Fatal(err)
	}
}

// selfApproval has the agent start the attempts, ask for something, and checks
// that the request is still pending when all have been made.
func (s *story) selfApproval(c *kit.Stream, start, next string) {
	s.Helper()
	s.prepareAttempts()
	s.say(c, start)
	asked, at := s.wait(c, 0, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	_, at = s.wait(c, at, kit.IsIdle)
	s.say(c, next)
	asked, at = s.wait(c, at, kit.IsPermission)
	for name := range attempts {
		s.waitFile(name + ".code")
		code, _ := os.ReadFile(s.file(name + ".code"))
		out, _ := os.ReadFile(s.file(name + ".out"))
		if strings.TrimSpace(string(code)) != "3" || strings.Count(string(out), "agents may only view") != 5 {
			s.Errorf("%s: exit code %s\n%s", name, code, out)
		}
	}
	list, err := s.daemon.Admin().ListPermissions(s.Context(), &pb.ListPermissionsRequest{})
	if err != nil {
		s.Fatal(err)
	}
	if p := list.GetPermissions(); len(p) != 1 || p[0].GetRequestId() != asked.GetPermissionRequest().GetRequestId() {
		s.Errorf("pending: %v", p)
	}
	if s.exists("approved.txt") || s.exists("forbidden") {
		s.Error("the agent approved itself")
	}
	// A person's own command is not below an agent.
	allow := exec.Command(s.world.Binary, "permission", "allow", asked.GetPermissionRequest().GetRequestId())
	allow.Env = s.world.Environ()
	if out, err := allow.CombinedOutput(); err != nil {
		s.Errorf("a person may not: %v\n%s", err, out)
	}
	s.wait(c, at, kit.IsIdle)
	if !s.exists("approved.txt") {
		s.Error("what a person allowed did not run")
	}
}

func TestSelfApproval(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	s.selfApproval(s.converse("a", session()), "run:"+allAttempts(), "run:touch approved.txt")
}

// The daemon that adopts the agent refuses it as well.
func TestSelfApprovalAfterDaemonKill(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "echo:hello")
	idle, _ := s.wait(c, 0, kit.IsIdle)
	s.killDaemon()
	c = s.converseWith("a", &pb.StartConversation{SessionId: id, FromSequence: idle.GetSequence()})
	s.selfApproval(c, "run:"+allAttempts(), "run:touch approved.txt")
}

func TestRealSelfApproval(t *testing.T) {
	t.Parallel()
	s, _ := newReal(t)
	s.selfApproval(s.converse("a", session()), "run: "+allAttempts(), "run: touch approved.txt")
}
