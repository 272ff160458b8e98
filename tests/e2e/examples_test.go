package e2e

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"betcode/tests/kit"
	"betcode/tests/pythonenv"
)

// The examples of docs/clients.md, as a reader builds them, survive a daemon that is
// stopped while a person is asked, and one that is killed while the turn runs. The
// message, the answer and the text count once.
func TestExampleInGo(t *testing.T) {
	t.Parallel()
	client := filepath.Join(t.TempDir(), "client")
	build := exec.Command("go", "build", "-o", client, "./docs/examples/go")
	build.Dir = kit.Repository()
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	playExample(t, nil, client)
}

func TestExampleInPython(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	example := filepath.Join(kit.Repository(), "docs", "examples", "python")
	python, err := pythonenv.Ensure(ctx, filepath.Join(kit.Repository(), ".cache", "python"), filepath.Join(example, "requirements.txt"))
	if errors.Is(err, pythonenv.ErrUnavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	generated, proto := t.TempDir(), filepath.Join(kit.Repository(), "proto")
	files, err := filepath.Glob(filepath.Join(proto, "betcode", "v1", "*.proto"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	generate := exec.CommandContext(ctx, python, append([]string{
		"-m", "grpc_tools.protoc", "-I", proto, "--python_out", generated, "--grpc_python_out", generated,
	}, files...)...)
	generate.Dir = proto
	if output, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	playExample(t, []string{"PYTHONPATH=" + generated, "PYTHONDONTWRITEBYTECODE=1"}, python, filepath.Join(example, "client.py"))
}

func playExample(t *testing.T, env []string, command ...string) {
	t.Helper()
	s := newStory(t, binaries.fake, "BETCODE_KEEP_AGENTS=1")
	s.world.Extra = nil // of the later daemons
	id := session()
	client := exec.Command(command[0], append(command[1:], s.world.Socket(), id, s.world.Project, "echo:first\nrun:touch made\ngate:go\necho:last")...)
	client.Env = append(s.world.Environ(), env...)
	var output shared
	client.Stdout, client.Stderr = &output, &output
	keyboard, err := client.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- client.Wait() }()
	t.Cleanup(func() { _ = client.Process.Kill() }) // it has ended, unless the test failed
	until := func(what string, done func() bool) {
		t.Helper()
		for deadline := time.Now().Add(patience); !done(); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) || len(ended) > 0 {
				t.Fatalf("%s did not come:\n%s", what, output.String())
			}
		}
	}
	until("the question", func() bool { return strings.Contains(output.String(), "[y/N]") })
	if _, err := s.daemon.Stop(); err != nil {
		t.Fatal(err)
	}
	s.start()
	if _, err := keyboard.Write([]byte("y\n")); err != nil {
		t.Fatal(err)
	}
	until("the tool's effect", func() bool {
		_, err := os.Stat(filepath.Join(s.world.Project, "made"))
		return err == nil
	})
	s.killDaemon()
	if err := os.WriteFile(filepath.Join(s.world.Project, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("%v\n%s", err, output.String())
		}
	case <-time.After(patience):
		t.Fatalf("the client did not end:\n%s", output.String())
	}
	for _, once := range []string{"first", "last", "[y/N]"} {
		if n := strings.Count(output.String(), once); n != 1 {
			t.Errorf("%q is shown %d times:\n%s", once, n, output.String())
		}
	}
	s.heardOnce(id)
}

// heardOnce checks that a session's history has one message and one decision of a client.
func (s *story) heardOnce(id string) {
	s.Helper()
	replay, err := s.daemon.Resume(s.Context(), id, 0)
	if err != nil {
		s.Fatal(err)
	}
	if err := replay.WaitEnd(); err != nil {
		s.Fatal(err)
	}
	var inputs, decisions int
	for _, e := range replay.Events() {
		if e.GetUserInput() != nil {
			inputs++
		}
		if e.GetPermissionResolved().GetReason() == "client" {
			decisions++
		}
	}
	if inputs != 1 || decisions != 1 {
		s.Errorf("%d messages and %d decisions in\n%s", inputs, decisions, kit.Describe(replay.Events()))
	}
}

// shared is output that is read while it grows.
type shared struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

// Write implements io.Writer.
func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buffer.Write(p)
}

// String returns the output so far.
func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buffer.String()
}
