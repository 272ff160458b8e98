package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"betcode/tests/claudecli"
	"betcode/tests/kit"
	"betcode/tests/model"
)

// These stories run the real Claude Code, pinned, against a scripted model on loopback. The first
// word of a prompt determines what the model does; see tests/model/scripts.

// newReal starts a story with the real agent.
func newReal(t *testing.T) (*story, *model.Server) {
	t.Helper()
	w, server := realWorld(t, binaries.betcode)
	return storyIn(t, w), server
}

// realWorld creates a world for the real agent and its model.
func realWorld(t *testing.T, daemon string) (*kit.World, *model.Server) {
	t.Helper()
	script, err := model.Ready("default")
	if err != nil {
		t.Fatal(err)
	}
	return scriptedWorld(t, daemon, script)
}

// scriptedWorld is realWorld with a script for the model.
func scriptedWorld(t *testing.T, daemon string, script model.Script) (*kit.World, *model.Server) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the real Claude Code")
	}
	path, err := claudecli.Ensure(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	server, err := model.New(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	w, err := kit.NewWorld(daemon, path,
		"ANTHROPIC_BASE_URL="+server.URL, "ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"IS_SANDBOX=1", "SHELL=/bin/bash")
	if err != nil {
		t.Fatal(err)
	}
	return w, server
}

func (s *story) file(name string) string { return filepath.Join(s.world.Project, name) }

func (s *story) exists(name string) bool {
	_, err := os.Stat(s.file(name))
	return err == nil
}

func (s *story) create(name string) {
	s.Helper()
	if err := os.WriteFile(s.file(name), nil, 0o600); err != nil {
		s.Fatal(err)
	}
}

// waitFile waits until something outside has made a file.
func (s *story) waitFile(name string) {
	s.Helper()
	s.eventually(name+" is made", func() bool { return s.exists(name) })
}

// once checks that the model saw a prompt as exactly one message of the
// conversation it was asked about last.
func once(t *testing.T, server *model.Server, prompt string) {
	t.Helper()
	requests := server.Requests()
	for i := len(requests) - 1; i >= 0; i-- {
		if n := requests[i].Conversation.Count(prompt); n > 0 {
			if n != 1 {
				t.Errorf("the conversation holds %q %d times", prompt, n)
			}
			return
		}
	}
	t.Errorf("the model never saw %q", prompt)
}
