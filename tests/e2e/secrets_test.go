package e2e

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// TestSecretsAreNotStored: secrets in the daemon's environment reach agents, also restarted ones,
// and are in no file of ours and not in the log. Neither is the daemon's own token for a GitLab,
// nor the credentials of a refused caller.
func TestSecretsAreNotStored(t *testing.T) {
	t.Parallel()
	const secret = "sk-ant-this-is-a-secret-0123456789"
	const gitlab, guess = "glpat-a-secret-of-the-daemon-01", "betcode_what-somebody-has-guessed-0123456789"
	s := newStory(t, binaries.fake, "ANTHROPIC_API_KEY="+secret, "CLAUDE_CODE_OAUTH_TOKEN="+secret, "BETCODE_LOG_LEVEL=trace",
		"BETCODE_GITLAB_TOKEN="+gitlab, "BETCODE_GITLAB_URL=http://127.0.0.1:1", "BETCODE_LISTEN_TCP=127.0.0.1:0")
	id := session()
	c := s.converse("a", id)
	next := 0
	for _, file := range []string{"first", "second"} {
		s.say(c, `run:printf %s "$ANTHROPIC_API_KEY" >`+file+`.tmp; mv `+file+`.tmp `+file)
		var asked kit.Event
		asked, next = s.wait(c, next, kit.IsPermission)
		s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
		_, next = s.wait(c, next, kit.IsIdle)
		if got, err := os.ReadFile(s.file(file)); err != nil || string(got) != secret {
			t.Errorf("the agent has the key %q, %v", got, err)
		}
		if file == "first" {
			s.killRun(c, id, false)
			_, next = s.wait(c, next, isError("SUBPROCESS_CRASHED"))
		}
	}
	wrong := filepath.Join(s.world.Root, "wrong.token")
	if err := os.WriteFile(wrong, []byte(guess), 0o600); err != nil {
		t.Fatal(err)
	}
	refused, code := s.command(binaries.betcode, over(s.address(), wrong, "session", "list"))
	failed, _ := s.command(binaries.betcode, []string{"gitlab", "issues", "--project", "a/b"})
	if code != 3 || strings.Contains(refused+failed, guess) || strings.Contains(refused+failed, gitlab) {
		t.Errorf("%d: %s\n%s", code, refused, failed)
	}
	for _, text := range []string{secret, gitlab, guess} {
		s.nowhere(text)
	}
}

// TestEnvironmentOfTheClient: a session stores only the listed variables of the client that begins
// it, also for restarted agents; variables of the daemon can be withheld from agents.
func TestEnvironmentOfTheClient(t *testing.T) {
	t.Parallel()
	const secret = "sk-of-the-client-0123456789"
	s := newStory(t, binaries.fake, "BETCODE_AGENT_ENVIRONMENT_WITHHOLD=NOT_FOR_*", "NOT_FOR_AGENTS=1", "FOR_AGENTS=2")
	id := session()
	c := s.converseWith("a", &pb.StartConversation{SessionId: id, WorkingDirectory: s.world.Project, Environment: map[string]string{
		"VIRTUAL_ENV": "/venv", "CLIENT_KEY": secret, "HOME": "/elsewhere", "BETCODE_RUN_TOKEN": "mine",
	}})
	next := 0
	for _, file := range []string{"first", "second"} {
		s.say(c, `run:echo "$VIRTUAL_ENV,$CLIENT_KEY,$NOT_FOR_AGENTS,$FOR_AGENTS,$HOME" >`+file+`.tmp; mv `+file+`.tmp `+file)
		var asked kit.Event
		asked, next = s.wait(c, next, kit.IsPermission)
		s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
		_, next = s.wait(c, next, kit.IsIdle)
		if got, err := os.ReadFile(s.file(file)); err != nil || string(got) != "/venv,,,2,"+s.world.Home+"\n" {
			t.Errorf("the agent has %q, %v", got, err)
		}
		if file == "first" {
			s.killRun(c, id, false)
			s.wait(c, next, isError("SUBPROCESS_CRASHED"))
			s.killDaemon()
			c = s.converseFromNow("a", id)
			next = 0
		}
	}
	s.nowhere(secret)
}

// nowhere checks that no file of the daemon holds a secret, and neither its log.
func (s *story) nowhere(secret string) {
	s.Helper()
	if strings.Contains(s.daemon.Log(), secret) {
		s.Error("it is in the log")
	}
	searched := 0
	err := filepath.WalkDir(filepath.Dir(s.world.StateDir()), func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // the daemon has removed it meanwhile
			return nil
		}
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if bytes.Contains(content, []byte(secret)) {
			s.Errorf("it is in %s", path)
		}
		searched++
		return err
	})
	if err != nil || searched < 8 { // the journal, and two run directories
		s.Errorf("searched %d files: %v", searched, err)
	}
}
