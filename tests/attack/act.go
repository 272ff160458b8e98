package main

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

// session makes up a session id.
func session() string { return uuid.NewString() }

// write makes a file and the directories above it.
func (s *siege) write(path, text string) {
	s.must(os.MkdirAll(filepath.Dir(path), 0o700), "make a directory")
	s.must(os.WriteFile(path, []byte(text), 0o600), "write a file")
}

// project is the path of a file in the session's directory.
func (s *siege) project(name string) string { return filepath.Join(s.world.Project, name) }

// exists reports whether there is a file, a link to nothing included.
func (s *siege) exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// contains reports whether a file holds a text; one that is not there does not.
func (s *siege) contains(path, text string) bool {
	raw, err := os.ReadFile(path)
	return err == nil && strings.Contains(string(raw), text)
}

// cli runs the command line in the world and returns what it printed on both
// outputs and its exit code. It reads no terminal.
func (s *siege) cli(args ...string) (printed string, code int) {
	command := exec.CommandContext(s, s.world.Binary, args...)
	command.Env, command.Dir = s.world.Environ(), s.world.Project
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.fail("run betcode %s: %v", strings.Join(args, " "), err)
	}
	return out.String(), command.ProcessState.ExitCode()
}

// converse attaches a client to a session in the project's directory.
func (s *siege) converse(client, session string) *kit.Stream {
	return s.converseWith(client, &pb.StartConversation{SessionId: session, WorkingDirectory: s.world.Project})
}

func (s *siege) converseWith(client string, start *pb.StartConversation) *kit.Stream {
	stream, err := s.daemon.Converse(s, client, start)
	s.must(err, "converse")
	s.streams = append(s.streams, stream)
	return stream
}

// say sends a message.
func (s *siege) say(c *kit.Stream, text string) {
	s.must(c.Say(uuid.NewString(), text), "send a message")
}

// wait waits for an event from a place on and returns it with the place behind it.
func (s *siege) wait(c *kit.Stream, from int, wanted func(kit.Event) bool) (kit.Event, int) {
	e, next, err := c.Wait(from, wanted)
	s.must(err, "wait for an event")
	return e, next
}

// asked sends a message and reports whether a person was asked before the turn
// ended, with the request. A request is left unanswered.
func (s *siege) asked(c *kit.Stream, text string) (*pb.PermissionRequest, bool) {
	from := len(c.Events())
	s.say(c, text)
	e, _ := s.wait(c, from, func(e kit.Event) bool { return kit.IsPermission(e) || kit.IsTurnComplete(e) })
	return e.GetPermissionRequest(), kit.IsPermission(e)
}

// refuse denies a request and waits for the end of the turn.
func (s *siege) refuse(c *kit.Stream, request string) {
	from := len(c.Events())
	s.must(c.Answer(request, pb.PermissionDecision_DENY, "no"), "deny")
	s.wait(c, from, kit.IsTurnComplete)
}

// mustAsk is the most common case: the message has the agent ask a person, who
// says no, and nothing has happened before or after. happened says whether the
// attack took effect.
func (s *siege) mustAsk(c *kit.Stream, name, message string, happened func() bool) {
	request, asked := s.asked(c, message)
	if asked {
		s.refuse(c, request.GetRequestId())
	}
	s.held(name, !happened(), "it took effect (asked: %t)", asked)
}
