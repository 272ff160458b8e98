package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
	"betcode/tests/model"
)

// begin attaches to a new session with options.
func (s *story) begin(id string, o *pb.AgentOptions) *kit.Stream {
	s.Helper()
	return s.converseWith("a", &pb.StartConversation{SessionId: id, WorkingDirectory: s.world.Project, Options: o})
}

// about returns the last request to the model that has a text in it.
func about(t *testing.T, server *model.Server, text string) model.Request {
	t.Helper()
	for _, r := range slices.Backward(server.Requests()) {
		if r.Conversation.Count(text) > 0 {
			return r
		}
	}
	t.Fatalf("the model was not asked about %q", text)
	return model.Request{}
}

// Options reach the agent, also the one that is started after the daemon and the agent were
// killed, and are shown.
func TestRealOptionsSurvive(t *testing.T) {
	t.Parallel()
	s, server := newReal(t)
	id := session()
	c := s.begin(id, &pb.AgentOptions{
		Effort: "low", Thinking: "disabled", AppendSystemPrompt: "Always say mark-of-the-prompt.", Tools: []string{"Read", "Bash"},
	})
	check := func(text string) {
		t.Helper()
		body := string(about(t, server, text).Body)
		for _, part := range []string{`"effort":"low"`, "mark-of-the-prompt"} {
			if !strings.Contains(body, part) {
				t.Errorf("%s: the request has no %s: %.300s", text, part, body)
			}
		}
		if strings.Contains(body, `"name":"Write"`) || !strings.Contains(body, `"name":"Read"`) {
			t.Errorf("%s: the tools are not those that were named", text)
		}
	}
	s.say(c, "echo: first")
	s.wait(c, 0, kit.IsIdle)
	check("echo: first")
	shown := s.cli(0, "session", "show", id)
	for _, part := range []string{"effort low", "tools Read, Bash", "append-system-prompt Always say mark"} {
		if !strings.Contains(shown, part) {
			t.Errorf("session show has no %q:\n%s", part, shown)
		}
	}
	s.killRun(c, id, false)
	s.killDaemon()
	c = s.converse("a", id)
	s.completed(c, s.say(c, "echo: second"))
	check("echo: second")
	if o := s.show(id); o.GetCondition() != "" {
		t.Errorf("%v", o)
	}
}

// A limit of requests or of money that ends a turn is an error of the run, with that reason.
func TestRealLimits(t *testing.T) {
	t.Parallel()
	s, _ := newReal(t)
	for option, words := range map[string]string{"--max-turns=1": "maximum number of turns", "--max-budget-usd=0.0001": "maximum budget"} {
		said, code := s.command(s.world.Binary, []string{"run", "--cwd", s.world.Project, "--permissions", "allow", option, "tool please"})
		if code != 1 || !strings.Contains(said, words) {
			t.Errorf("%s: exit %d: %s", option, code, said)
		}
	}
}

// The agent works in additional directories, and ignores their settings until they are trusted.
func TestRealAddedDirectory(t *testing.T) {
	t.Parallel()
	s, server := newReal(t)
	added := filepath.Join(s.world.Root, "added")
	s.writeAt(filepath.Join(added, ".claude", "skills", "sly", "SKILL.md"), "---\nname: sly\ndescription: mark-of-the-skill\n---\nbe sly\n")
	s.writeAt(filepath.Join(added, "notes.txt"), "words in an added directory")
	link := filepath.Join(s.world.Root, "link")
	if err := os.Symlink(added, link); err != nil {
		t.Fatal(err)
	}
	id := session()
	c := s.begin(id, &pb.AgentOptions{AdditionalDirectories: []string{link}})
	s.say(c, "run: cat "+filepath.Join(added, "notes.txt"))
	s.wait(c, 0, func(e kit.Event) bool {
		return strings.Contains(e.GetToolCallResult().GetOutput(), "words in an added")
	})
	_, next := s.wait(c, 0, kit.IsIdle)
	view, err := s.daemon.Admin().ShowSession(t.Context(), &pb.ShowSessionRequest{SessionId: id})
	if err != nil || !view.GetRestricted() || view.GetOptions().GetAdditionalDirectories()[0] != added {
		t.Errorf("restricted %v, %v, %v", view.GetRestricted(), view.GetOptions(), err)
	}
	for _, r := range server.Requests() {
		if strings.Contains(string(r.Body), "mark-of-the-skill") {
			t.Error("the agent was given a skill that is not trusted")
		}
	}
	s.cli(0, "trust", added, "--yes")
	s.say(c, "echo: trusted")
	s.wait(c, next, kit.IsTurnComplete)
	s.wait(c, next, kit.IsIdle)
	if body := string(about(t, server, "echo: trusted").Body); !strings.Contains(body, "mark-of-the-skill") {
		t.Error("the agent does not know the skill of a directory that is trusted")
	}
}

// A directory that is no directory, or is the daemon's, is refused, and nothing is begun.
func TestAddedDirectoriesAreChecked(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	file := filepath.Join(s.world.Project, "file")
	s.writeAt(file, "x")
	for _, dir := range []string{filepath.Join(s.world.Root, "none"), file, "relative", "/", s.world.StateDir(), filepath.Join(s.world.StateDir(), "runs")} {
		id := session()
		stream, err := s.daemon.Converse(t.Context(), "a", &pb.StartConversation{
			SessionId: id, WorkingDirectory: s.world.Project, Options: &pb.AgentOptions{AdditionalDirectories: []string{dir}},
		})
		if err == nil {
			_, _, err = stream.Wait(0, func(kit.Event) bool { return false })
			stream.Close()
		}
		if status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s: %v", dir, err)
		}
		if _, err := s.daemon.Admin().ShowSession(t.Context(), &pb.ShowSessionRequest{SessionId: id}); status.Code(err) != codes.NotFound {
			t.Errorf("%s: a session was made: %v", dir, err)
		}
	}
}

// An option that the installed agent does not know is refused before anything is begun.
func TestOptionOfANewerVersion(t *testing.T) {
	t.Parallel()
	started := filepath.Join(t.TempDir(), "started")
	s := newStory(t, agentScript(t, "2.0.77", "touch "+started+"\nexec '"+binaries.fake+"' \"$@\""))
	said, code := s.command(s.world.Binary, []string{"run", "--cwd", s.world.Project, "--effort", "low", "echo:hello"})
	if code != 1 || !strings.Contains(said, "2.0.77 has no option --effort") {
		t.Errorf("exit %d: %s", code, said)
	}
	if _, err := os.Stat(started); err == nil {
		t.Error("the agent was started")
	}
	if said := s.cli(0, "run", "--cwd", s.world.Project, "--max-turns", "3", "echo:hello"); !strings.Contains(said, "hello") {
		t.Errorf("%s", said)
	}
}

// toolServer is an MCP server with one tool, in shell.
const toolServer = `#!/bin/sh
touch "$MARK"
while read -r line; do
	id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
	case $line in
	*'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-03-26","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}}}' ;;
	*'"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"lamp","description":"mark-of-the-lamp","inputSchema":{"type":"object"}}]}}' ;;
	*'"id"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{}}' ;;
	esac
done
`

// MCP servers of a caller are started and their tools offered to the model, in each agent of
// the session; their secrets are never shown.
func TestRealServersOfACaller(t *testing.T) {
	t.Parallel()
	s, server := newReal(t)
	const secret = "hunter2-of-the-server"
	program, mark := filepath.Join(s.world.Root, "server.sh"), filepath.Join(s.world.Root, "server-ran")
	s.writeAt(program, toolServer)
	config := filepath.Join(s.world.Root, "mcp.json")
	s.writeAt(config, fmt.Sprintf(`{"mcpServers": {"house": {"command": "/bin/sh", "args": [%q], "env": {"MARK": %q, "TOKEN": %q}}}}`, program, mark, secret))
	s.cli(0, "run", "--cwd", s.world.Project, "--mcp-config", config, "echo: first")
	const id = "@last"
	offered := func(text string) {
		t.Helper()
		if !strings.Contains(string(about(t, server, text).Body), "lamp") {
			t.Errorf("%s: the tool of the server is not offered", text)
		}
	}
	offered("echo: first")
	if err := os.Remove(mark); err != nil {
		t.Fatal(err)
	}
	s.cli(0, "session", "stop", id)
	s.killDaemon()
	s.cli(0, "run", "-r", id, "echo: second")
	offered("echo: second")
	if _, err := os.Stat(mark); err != nil {
		t.Error("the second agent has not started the server")
	}
	var seen strings.Builder
	seen.WriteString(s.cli(0, "session", "show", id))
	seen.WriteString(s.cli(0, "session", "show", id, "--json"))
	seen.WriteString(s.cli(0, "audit", "--json"))
	seen.WriteString(s.daemon.Log())
	if text := seen.String(); strings.Contains(text, secret) || !strings.Contains(text, "house") {
		t.Errorf("the secret is shown, or the server is not named:\n%s", text)
	}
}

// writeAt writes a file, and makes its directory.
func (s *story) writeAt(path, text string) {
	s.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}
