package siege

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// NewSession generates a session id.
func NewSession() string { return uuid.NewString() }

// Write creates a file and its parent directories.
func (s *Siege) Write(path, text string) {
	s.Must(os.MkdirAll(filepath.Dir(path), 0o700), "make a directory")
	s.Must(os.WriteFile(path, []byte(text), 0o600), "write a file")
}

// Project is the path of a file in the session's directory.
func (s *Siege) Project(name string) string { return filepath.Join(s.World.Project, name) }

// Exists reports whether there is a file, a link to nothing included.
func (s *Siege) Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Contains reports whether a file holds a text; one that is not there does not.
func (s *Siege) Contains(path, text string) bool {
	raw, err := os.ReadFile(path)
	return err == nil && strings.Contains(string(raw), text)
}

// Cli runs the command line in the world and returns its output, standard error included, and its
// exit code. Its input is no terminal.
func (s *Siege) Cli(args ...string) (printed string, code int) {
	command := exec.CommandContext(s, s.World.Binary, args...)
	command.Env, command.Dir = s.World.Environ(), s.World.Project
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.Fail("run betcode %s: %v", strings.Join(args, " "), err)
	}
	return out.String(), command.ProcessState.ExitCode()
}

// Converse attaches a client to a session in the project's directory.
func (s *Siege) Converse(client, session string) *kit.Stream {
	return s.ConverseWith(client, &pb.StartConversation{SessionId: session, WorkingDirectory: s.World.Project})
}

func (s *Siege) ConverseWith(client string, start *pb.StartConversation) *kit.Stream {
	stream, err := s.Daemon.Converse(s, client, start)
	s.Must(err, "converse")
	s.Streams = append(s.Streams, stream)
	return stream
}

// Say sends a message.
func (s *Siege) Say(c *kit.Stream, text string) {
	s.Must(c.Say(uuid.NewString(), text), "send a message")
}

// Wait waits for an event from a place on and returns it with the place behind it.
func (s *Siege) Wait(c *kit.Stream, from int, wanted func(kit.Event) bool) (kit.Event, int) {
	e, next, err := c.Wait(from, wanted)
	s.Must(err, "wait for an event")
	return e, next
}

// Asked sends a message and reports whether a person was asked before the turn
// ended, with the request. A request is left unanswered.
func (s *Siege) Asked(c *kit.Stream, text string) (*pb.PermissionRequest, bool) {
	from := len(c.Events())
	s.Say(c, text)
	e, _ := s.Wait(c, from, func(e kit.Event) bool { return kit.IsPermission(e) || kit.IsTurnComplete(e) })
	return e.GetPermissionRequest(), kit.IsPermission(e)
}

// Refuse denies a request and waits for the end of the turn.
func (s *Siege) Refuse(c *kit.Stream, request string) {
	from := len(c.Events())
	s.Must(c.Answer(request, pb.PermissionDecision_DENY, "no"), "deny")
	s.Wait(c, from, kit.IsTurnComplete)
}

// MustAsk is the most common case: the message makes the agent ask a person, who denies it, and the
// attack has no effect before or after. happened reports whether the attack took effect.
func (s *Siege) MustAsk(c *kit.Stream, name, message string, happened func() bool) {
	request, asked := s.Asked(c, message)
	if asked {
		s.Refuse(c, request.GetRequestId())
	}
	s.Held(name, !happened(), "it took effect (asked: %t)", asked)
}
