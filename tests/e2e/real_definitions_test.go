package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
)

// definitions is an agent definition as a caller gives it to --agents.
const definitions = `{"scout": {"description": "mark-of-the-description", "prompt": "mark-of-the-prompt", "tools": ["Bash"]}}`

// An agent definition of a caller is offered to the model, works as a subagent with its own
// prompt and tools, asks for permission, and is there again in an agent that another daemon
// starts. The session's record names it.
func TestRealAgentDefinitionWorks(t *testing.T) {
	t.Parallel()
	s, server := newReal(t)
	file := filepath.Join(s.world.Root, "agents.json")
	s.writeAt(file, definitions)
	works := func(prompt string, args ...string) {
		t.Helper()
		said := s.cli(0, append(append([]string{"run", "--permissions", "allow"}, args...), prompt)...)
		if !strings.Contains(said, "The scout is back.") {
			t.Errorf("%s: %s", prompt, said)
		}
		if body := string(about(t, server, prompt).Body); !strings.Contains(body, "mark-of-the-description") || strings.Contains(body, "mark-of-the-prompt") {
			t.Errorf("%s: the model is not offered the definition, or is given the subagent's prompt", prompt)
		}
		var asked int
		for _, r := range server.Requests() {
			if !r.Conversation.Subagent {
				continue
			}
			body := string(r.Body)
			if asked++; !strings.Contains(body, "mark-of-the-prompt") || !strings.Contains(body, `"name":"Bash"`) || strings.Contains(body, `"name":"Write"`) {
				t.Errorf("%s: the subagent has not the prompt and the tools of its definition: %.400s", prompt, body)
			}
		}
		if asked == 0 || !s.exists("sub.txt") {
			t.Errorf("%s: no subagent worked: %d requests", prompt, asked)
		}
	}
	works("scout one", "--cwd", s.world.Project, "--agents", file)
	if shown := s.cli(0, "session", "show", "@last"); !strings.Contains(shown, "scout") {
		t.Errorf("session show does not name the definition:\n%s", shown)
	}
	s.cli(0, "session", "stop", "@last")
	s.killDaemon()
	works("scout two", "-r", "@last")
}

// With --agent, the definition answers instead of the usual agent: the first agent and the
// one after a kill of the daemon and of the agent.
func TestRealAgentDefinitionAnswers(t *testing.T) {
	t.Parallel()
	s, server := newReal(t)
	answers := func(prompt string, args ...string) {
		t.Helper()
		s.cli(0, append(append([]string{"run"}, args...), prompt)...)
		body := string(about(t, server, prompt).Body)
		if !strings.Contains(body, "mark-of-the-prompt") || strings.Contains(body, `"name":"Write"`) {
			t.Errorf("%s: the definition does not answer: %.400s", prompt, body)
		}
	}
	answers("echo: one", "--cwd", s.world.Project, "--agents", definitions, "--agent", "scout")
	id := s.lastID()
	c := s.converse("a", id)
	s.killRun(c, id, false)
	s.killDaemon()
	answers("echo: two", "-r", id)
	if said, code := s.command(s.world.Binary, []string{"run", "--cwd", s.world.Project, "--agents", `{"scout": 1}`, "echo: three"}); code == 0 || !strings.Contains(said, "agents") {
		t.Errorf("a definition that is none: exit %d: %s", code, said)
	}
}

// In a fence, the real agent writes to its project and to the directories that were added,
// by its own tools and by commands, and nowhere else, whatever a person allows. The agent of
// the next daemon is fenced alike, and a session without the directory cannot write to it.
func TestRealFenceHoldsAddedDirectory(t *testing.T) {
	t.Parallel()
	w, _ := realWorld(t, binaries.betcode)
	added, outside := filepath.Join(w.Root, "added"), filepath.Join(w.Root, "outside")
	s := &story{T: t, world: w}
	for _, dir := range []string{added, outside} {
		s.writeAt(filepath.Join(dir, "old"), "old")
	}
	s.writeAt(filepath.Join(w.ConfigDir(), "settings.json"), `{"agent": {"fence": "project"}}`)
	s = storyIn(t, w)
	if status, _ := s.command(s.world.Binary, []string{"daemon", "status"}); strings.Contains(status, "fence_unavailable") {
		t.Skip("this kernel has no Landlock")
	}
	play := func(round string, directory bool, args ...string) {
		t.Helper()
		for prompt, wanted := range map[string]bool{
			"write " + s.file("by-tool-"+round):                             true,
			"run: echo x >" + s.file("by-command-"+round):                   true,
			"write " + filepath.Join(added, "by-tool-"+round):               directory,
			"run: echo x >" + filepath.Join(added, "by-command-"+round):     directory,
			"write " + filepath.Join(outside, "by-tool-"+round):             false,
			"run: echo x >" + filepath.Join(outside, "by-command-"+round):   false,
			"run: ln -sf " + outside + " link; echo x >link/link-" + round:  false,
			"run: mv " + filepath.Join(outside, "old") + " taken-" + round:  false,
			"write " + filepath.Join(s.world.ConfigDir(), "daemon-"+round):  false,
			"run: echo x >" + filepath.Join(s.world.StateDir(), "x-"+round): false,
		} {
			s.cli(0, append(append([]string{"run", "--permissions", "allow"}, args...), prompt)...)
			path := prompt[strings.LastIndexAny(prompt, " >")+1:]
			if !filepath.IsAbs(path) {
				path = s.file(path)
			}
			if _, err := os.Stat(path); (err == nil) != wanted {
				t.Errorf("%s: %q: %s exists: %t, wanted %t", round, prompt, path, err == nil, wanted)
			}
		}
	}
	s.cli(0, "run", "--cwd", s.world.Project, "--add-dir", added, "echo: begin")
	id := s.lastID()
	play("first", true, "-r", id)
	s.cli(0, "session", "stop", id)
	s.killDaemon()
	play("second", true, "-r", id)
	play("without", false, "--cwd", s.world.Project)
}

// lastID is the id of the session that was used last.
func (s *story) lastID() string {
	s.Helper()
	list, err := s.daemon.Agents().ListSessions(s.Context(), &pb.ListSessionsRequest{Limit: 1})
	if err != nil || len(list.GetSessions()) != 1 {
		s.Fatal(list, err)
	}
	return list.GetSessions()[0].GetId()
}
