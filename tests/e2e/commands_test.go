package e2e

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

func (s *story) commands() pb.CommandServiceClient {
	return pb.NewCommandServiceClient(s.daemon.Conn())
}

// registry is what can be typed into a session, by category and name.
func (s *story) registry(id string) map[string]*pb.CommandEntry {
	s.Helper()
	r, err := s.commands().GetCommandRegistry(s.Context(), &pb.GetCommandRegistryRequest{SessionId: id})
	if err != nil {
		s.Fatal(err)
	}
	all := map[string]*pb.CommandEntry{}
	for _, e := range r.GetCommands() {
		all[strings.TrimPrefix(e.GetCategory().String(), "COMMAND_CATEGORY_")+" "+e.GetName()] = e
	}
	return all
}

func (s *story) write(name, text string) {
	s.Helper()
	path := s.file(name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		s.Fatal(err)
	}
}

// TestRealCommandRegistry: the registry has the commands of the real agent and of the project, and
// skills, with their descriptions, while the agent runs and after its end, also in the next daemon.
// Its kinds of agents can be found by name.
func TestRealCommandRegistry(t *testing.T) {
	t.Parallel()
	s, _ := newReal(t)
	s.write(".claude/commands/fixit.md", "---\ndescription: Mends an issue\nargument-hint: issue\n---\nMend $1")
	s.write(".claude/skills/tidy/SKILL.md", "---\nname: tidy\ndescription: Tidies things\n---\nTidy.")
	s.write(".claude/agents/reviewer.md", "---\nname: reviewer\ndescription: Reviews code\n---\nReview.")
	s.cli(0, "trust", "--yes", s.world.Project)
	id := session()
	c := s.converse("a", id)
	s.wait(c, 0, func(e kit.Event) bool { return e.GetSessionInfo() != nil })
	if ours := s.registry(id); len(ours) == 0 || ours["SERVICE tree"] == nil {
		t.Errorf("before the first turn: %v", ours)
	}
	s.say(c, "say hello")
	s.wait(c, 0, kit.IsIdle)
	check := func(when string) {
		t.Helper()
		all := s.registry(id)
		fixit, tidy, compact := all["CLAUDE_CODE fixit"], all["SKILL tidy"], all["CLAUDE_CODE compact"]
		if !strings.Contains(fixit.GetDescription(), "Mends an issue") || !strings.Contains(fixit.GetArgsSchema(), "issue") ||
			fixit.GetExecutionMode() != pb.ExecutionMode_EXECUTION_MODE_PASSTHROUGH || !strings.Contains(tidy.GetDescription(), "Tidies things") ||
			compact.GetDescription() == "" || compact.GetDisplayName() != "/compact" {
			t.Errorf("%s: %v\n%v\n%v\n%d in all", when, fixit, tidy, compact, len(all))
		}
	}
	check("while it runs")
	if _, err := s.daemon.Admin().StopSession(t.Context(), &pb.StopSessionRequest{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	check("when it no longer runs")
	s.killDaemon()
	check("by the next daemon")
	can, err := pb.NewVersionServiceClient(s.daemon.Conn()).NegotiateCapabilities(t.Context(), &pb.NegotiateRequest{ClientVersion: "0.1.0"})
	if models := can.GetCapabilities().GetAvailableModels(); err != nil || !slices.Contains(models, "sonnet") || slices.Contains(models, "default") || len(models) < 3 {
		t.Errorf("models: %v %v", models, err)
	}
	agents, err := s.commands().ListAgents(t.Context(), &pb.ListAgentsRequest{Query: "rev"})
	if err != nil || len(agents.GetAgents()) != 1 || agents.GetAgents()[0].GetName() != "reviewer" || agents.GetAgents()[0].GetSessionId() != id {
		t.Errorf("%v %v", agents, err)
	}
}

// TestCompletion: agents and paths are found by how they begin, and nothing outside a
// session's directory is.
func TestCompletion(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	s.write("src/main.go", "package main")
	s.write(".env", "secret")
	if err := os.Symlink("/etc", s.file("out")); err != nil {
		t.Fatal(err)
	}
	id := session()
	c := s.converseWith("a", &pb.StartConversation{SessionId: id, WorkingDirectory: s.world.Project, Name: "demo"})
	s.say(c, "gate:go\necho:hello")
	s.wait(c, 0, kit.IsStatus(pb.AgentStatus_THINKING))
	agents := func(query string) (names []string) {
		r, err := s.commands().ListAgents(t.Context(), &pb.ListAgentsRequest{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range r.GetAgents() {
			names = append(names, a.GetName()+" "+strings.TrimPrefix(a.GetStatus().String(), "COMMAND_AGENT_STATUS_"))
		}
		return names
	}
	if got := agents("dem"); !slices.Equal(got, []string{"demo WORKING"}) {
		t.Errorf("%q", got)
	}
	s.create("go")
	s.wait(c, 0, kit.IsIdle)
	if got := agents("dem"); !slices.Equal(got, []string{"demo IDLE"}) {
		t.Errorf("%q", got)
	}
	for query, want := range map[string]string{"": "src go", "src/": "src/main.go", ".e": ".env", "s": "src"} {
		r, err := s.commands().ListPath(t.Context(), &pb.ListPathRequest{Query: query})
		var got []string
		for _, e := range r.GetEntries() {
			got = append(got, e.GetPath())
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %q %v", query, got, err)
		}
	}
	for query, want := range map[string]codes.Code{"../": codes.InvalidArgument, "/etc/": codes.InvalidArgument, "out/": codes.PermissionDenied} {
		if _, err := s.commands().ListPath(t.Context(), &pb.ListPathRequest{Query: query, SessionId: "demo"}); status.Code(err) != want {
			t.Errorf("%q: %v", query, err)
		}
	}
	if _, err := s.commands().ListPath(t.Context(), &pb.ListPathRequest{SessionId: session()}); status.Code(err) != codes.NotFound {
		t.Errorf("a session that is not there: %v", err)
	}
}

// TestServiceCommands: the daemon's own commands answer with its state; others are not commands of
// the daemon.
func TestServiceCommands(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "tool:x")
	s.wait(c, 0, kit.IsPermission)
	run := func(command string) (said string) {
		t.Helper()
		stream, err := s.commands().ExecuteServiceCommand(context.Background(), &pb.ExecuteServiceCommandRequest{Command: command})
		for err == nil {
			var r *pb.ServiceCommandOutput
			if r, err = stream.Recv(); err == nil {
				said += r.GetStdoutLine() + "\n"
			}
		}
		if !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", command, err)
		}
		return said
	}
	for command, want := range map[string]string{"status": "journal: SERVING", "tree": "session/" + id, "permissions": id, "sessions": id, "help": "permissions"} {
		if said := run(command); !strings.Contains(said, want) {
			t.Errorf("%s:\n%s", command, said)
		}
	}
	if said, code := s.command(binaries.betcode, []string{"commands", "run", "permissions", "--session", id}); code != 0 || !strings.Contains(said, id) {
		t.Errorf("exit %d: %s", code, said)
	}
	if said, code := s.command(binaries.betcode, []string{"commands", "run", "sh"}); code != 6 {
		t.Errorf("exit %d: %s", code, said)
	}
}

// TestCommandsBeforeTheFirstTurn: commands of the user's and of a trusted project's files are
// listed before an agent has started; files of an untrusted directory are left out.
func TestCommandsBeforeTheFirstTurn(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	s.write(".claude/commands/fixit.md", "---\ndescription: Mends an issue\nargument-hint: issue\n---\nMend $1")
	s.write(".claude/agents/reviewer.md", "---\nname: reviewer\ndescription: Reviews code\n---\nReview.")
	s.write("../.claude/skills/tidy/SKILL.md", "---\nname: tidy\ndescription: Tidies things\n---\nTidy.")
	id := session()
	s.wait(s.converse("a", id), 0, func(e kit.Event) bool { return e.GetSequence() > 0 || e.GetSessionInfo() != nil })
	agents := func() int {
		r, err := s.commands().ListAgents(t.Context(), &pb.ListAgentsRequest{Query: "rev"})
		if err != nil {
			t.Fatal(err)
		}
		return len(r.GetAgents())
	}
	if all := s.registry(id); all["CLAUDE_CODE fixit"] != nil || all["SKILL tidy"].GetDescription() != "Tidies things" || agents() != 0 {
		t.Errorf("before the directory is trusted: %v, %d agents", all, agents())
	}
	s.cli(0, "trust", "--yes", s.world.Project)
	all := s.registry(id)
	if fixit := all["CLAUDE_CODE fixit"]; fixit.GetDescription() != "Mends an issue" || !strings.Contains(fixit.GetArgsSchema(), "issue") || agents() != 1 {
		t.Errorf("in a trusted directory: %v, %d agents", all, agents())
	}
	if all["SKILL tidy"] == nil {
		t.Errorf("the user's own: %v", all)
	}
}
