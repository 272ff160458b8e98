package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// What stories wait for, and how they look from outside.

func isError(code string) func(kit.Event) bool {
	return func(e kit.Event) bool { return e.GetError().GetCode() == code }
}

func isNotice(code string) func(kit.Event) bool {
	return func(e kit.Event) bool { return e.GetNotice().GetCode() == code }
}

func isResolved(e kit.Event) bool { return e.GetPermissionResolved() != nil }

func isResult(words string) func(kit.Event) bool {
	return func(e kit.Event) bool {
		return e.GetToolCallResult() != nil && strings.Contains(e.GetToolCallResult().GetOutput(), words)
	}
}

func isTextWith(words string) func(kit.Event) bool {
	return func(e kit.Event) bool { return strings.Contains(e.GetTextDelta().GetText(), words) }
}

func isInfo(e kit.Event) bool { return e.GetSessionInfo() != nil }

func isReplay(e kit.Event) bool { return e.GetPermissionRequest().GetIsReplay() }

// as is the context of a call of a client with that name.
func (s *stage) as(client string) context.Context {
	return metadata.AppendToOutgoingContext(s.Context(), "x-client-id", client)
}

func (s *stage) show(id string) *pb.ShowSessionResponse {
	s.Helper()
	shown, err := s.daemon.Admin().ShowSession(s.Context(), &pb.ShowSessionRequest{SessionId: id})
	s.must(err)
	return shown
}

// arguments are those of a session's agent.
func (s *stage) arguments(id string) []string {
	s.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", s.show(id).GetRun().GetPid()))
	s.must(err)
	return strings.Split(strings.TrimRight(string(raw), "\x00"), "\x00")
}

// follows reports whether in arguments a flag is followed by a value.
func follows(arguments []string, flag, value string) bool {
	i := slices.Index(arguments, flag)
	return i >= 0 && i+1 < len(arguments) && arguments[i+1] == value
}

// replay returns the events that a client gets after sequence from.
func (s *stage) replay(id string, from uint64) []kit.Event {
	s.Helper()
	stream, err := s.daemon.Resume(s.Context(), id, from)
	s.must(err)
	s.must(stream.WaitEnd())
	return stream.Events()
}

func (s *stage) answer(stream *kit.Stream, e kit.Event, decision pb.PermissionDecision) {
	s.Helper()
	s.must(stream.Answer(e.GetPermissionRequest().GetRequestId(), decision, ""))
}

// file is a path where agents work.
func (s *stage) file(name string) string { return filepath.Join(s.world.Project, name) }

func (s *stage) write(path, text string) {
	s.Helper()
	s.must(os.MkdirAll(filepath.Dir(path), 0o700))
	s.must(os.WriteFile(path, []byte(text), 0o600))
}

// config writes settings.json, before the daemon starts or while it runs.
func config(w *kit.World, text string) error {
	return os.WriteFile(filepath.Join(w.ConfigDir(), "settings.json"), []byte(text), 0o600)
}

// cli runs the command line in the story's world and returns its output.
func (s *stage) cli(want int, args ...string) string {
	s.Helper()
	said, code := s.command(s.world.Environ(), args...)
	if code != want {
		s.Fatalf("betcode %s: exit %d, want %d\n%s", strings.Join(args, " "), code, want, said)
	}
	return said
}

func (s *stage) command(env []string, args ...string) (said string, code int) {
	s.Helper()
	var out bytes.Buffer
	cmd := exec.Command(s.world.Binary, args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = env, s.world.Root, &out, &out
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		s.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// transcript waits until the agent's own record of a session holds a word.
func (s *stage) transcript(id, word string) {
	s.Helper()
	s.eventually(word+" is in the agent's transcript", func() bool {
		files, _ := filepath.Glob(filepath.Join(s.world.Home, ".claude", "projects", "*", id+".jsonl"))
		return slices.ContainsFunc(files, func(file string) bool {
			raw, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(raw), word)
		})
	})
}

// logged returns the first line of the daemon's log that has a message.
func (s *stage) logged(message string) map[string]any {
	s.Helper()
	var entry map[string]any
	_, err := s.daemon.Logged(message, func(line string) bool {
		entry = nil
		return json.Unmarshal([]byte(line), &entry) == nil && strings.Contains(fmt.Sprint(entry["message"]), message)
	})
	if err != nil {
		s.Fatal(err)
	}
	return entry
}

// writeFile is os.WriteFile for files of tests.
func writeFile(path, text string) error { return os.WriteFile(path, []byte(text), 0o600) }

// detailsOf are the catalogue's details of a refusal.
func detailsOf(err error) map[string]string {
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			return info.GetMetadata()
		}
	}
	return nil
}
