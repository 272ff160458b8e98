package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"

	"betcode/messages"
	"betcode/messages/claudecode"
	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
	"betcode/tests/model"
)

// patience bounds a scenario. It is generous: only a session that is stuck needs it.
const patience = 4 * time.Minute

// scenario is one story, in a world of its own.
type scenario struct {
	name string
	run  func(*stage)
	// differs maps a version to the known difference of older versions; nil = there is none.
	differs map[string]string
}

// known returns the difference that is known of a version, empty if there is none.
func (s scenario) known(version string) string {
	for before, what := range s.differs {
		if claudecode.Older(version, before) {
			return what
		}
	}
	return ""
}

// stage is a scenario under way. Its methods end it when something fails.
type stage struct {
	context.Context

	version string
	world   *kit.World
	daemon  *kit.Daemon
	model   *model.Server

	failure string
	streams []*kit.Stream
}

func (s *stage) fail(format string, args ...any) {
	s.failure = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (s *stage) must(err error, doing string) {
	if err != nil {
		s.fail("%s: %v", doing, err)
	}
}

// check fails unless something holds.
func (s *stage) check(holds bool, format string, args ...any) {
	if !holds {
		s.fail(format, args...)
	}
}

// play plays one scenario with one version.
func play(ctx context.Context, a scenario, version, daemon, agent string, limit time.Duration) outcome {
	s := &stage{Context: ctx, version: version}
	told := make(chan bool, 1)
	go func() {
		whole := false
		defer func() { told <- whole }()
		s.raise(daemon, agent)
		a.run(s)
		s.noAlarm()
		whole = true
	}()
	whole := false
	select {
	case whole = <-told:
	case <-time.After(limit):
		if s.daemon != nil {
			s.daemon.Kill() // ends the streams that the scenario waits for
		}
		<-told
		s.failure = "it did not come to its end in time: " + s.failure
	}
	s.end()
	known := a.known(version)
	switch {
	case whole && known == "":
		return outcome{verdict: passed}
	case whole:
		return outcome{failed, "it is said to differ, and does not: " + known}
	case known != "":
		return outcome{differs, known}
	}
	detail := s.failure
	if s.daemon != nil && os.Getenv("BETCODE_FIDELITY_LOG") != "" {
		detail += "\nthe daemon's log:\n" + s.daemon.Log()
	}
	return outcome{failed, detail}
}

func (s *stage) raise(daemon, agent string) {
	script, err := model.Parse([]byte(script))
	s.must(err, "read the model's script")
	s.model, err = model.New(script)
	s.must(err, "start the model")
	s.world, err = kit.NewWorld(daemon, agent,
		"ANTHROPIC_BASE_URL="+s.model.URL, "ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"IS_SANDBOX=1", "SHELL=/bin/bash")
	s.must(err, "make the world")
	s.start()
}

func (s *stage) start() {
	var err error
	s.daemon, err = s.world.Start(s)
	s.must(err, "start the daemon")
}

func (s *stage) end() {
	for _, stream := range s.streams {
		stream.Close()
	}
	if s.daemon != nil && !s.daemon.Ended() {
		_, _ = s.daemon.Stop() // leftover processes are ended below
	}
	if s.model != nil {
		_ = s.model.Close() // nothing depends on it any more
	}
	if s.world != nil {
		s.world.End()
		_ = s.world.Remove() // in the temporary directory
	}
}

func session() string { return uuid.NewString() }

func (s *stage) converse(id string) *kit.Stream {
	return s.converseWith(&pb.StartConversation{SessionId: id, WorkingDirectory: s.world.Project})
}

func (s *stage) converseWith(start *pb.StartConversation) *kit.Stream {
	stream, err := s.daemon.Converse(s, "a", start)
	s.must(err, "converse")
	s.streams = append(s.streams, stream)
	return stream
}

// say sends a message and returns its key.
func (s *stage) say(c *kit.Stream, text string) string {
	key := uuid.NewString()
	s.must(c.Say(key, text), "send a message")
	return key
}

func (s *stage) wait(c *kit.Stream, from int, wanted func(kit.Event) bool) (kit.Event, int) {
	e, next, err := c.Wait(from, wanted)
	s.must(err, "wait for an event")
	return e, next
}

// answered waits for the end of the turn that answers a message, and for rest.
func (s *stage) answered(c *kit.Stream, from int, key string) int {
	_, next := s.wait(c, from, func(e kit.Event) bool { return slices.Contains(e.GetTurnComplete().GetInputKeys(), key) })
	_, next = s.wait(c, next, kit.IsIdle)
	return next
}

// allow waits for a request and allows it.
func (s *stage) allow(c *kit.Stream, from int) (*pb.PermissionRequest, int) {
	e, next := s.wait(c, from, kit.IsPermission)
	s.must(c.Answer(e.GetPermissionRequest().GetRequestId(), pb.PermissionDecision_ALLOW_ONCE, ""), "allow")
	return e.GetPermissionRequest(), next
}

// exists reports whether the project has a file.
func (s *stage) exists(name string) bool {
	_, err := os.Stat(filepath.Join(s.world.Project, name))
	return !errors.Is(err, os.ErrNotExist)
}

// text checks that the events from a place on contain a text.
func (s *stage) text(c *kit.Stream, from int, want string) {
	got := kit.Text(c.Events()[from:])
	s.check(strings.Contains(got, want), "the agent said %.300q, want %q", got, want)
}

// noAlarm checks that nothing was taken for an order that the daemon did not give.
func (s *stage) noAlarm() {
	for _, c := range s.streams {
		for _, e := range c.Events() {
			code := e.GetNotice().GetCode()
			s.check(code != string(messages.SelfApproved) && code != string(messages.ForgedRequest) && code != string(messages.ForgedInput), "an alarm by mistake: %v", e.GetNotice())
		}
	}
}

// once checks that the model saw a prompt once in the conversation it was asked
// about last.
func (s *stage) once(prompt string) {
	for _, r := range slices.Backward(s.model.Requests()) {
		if n := r.Conversation.Count(prompt); n > 0 {
			s.check(n == 1, "the conversation holds %q %d times", prompt, n)
			return
		}
	}
	s.fail("the model never saw %q", prompt)
}

// killAgent kills the process of the newest run that a stream has reported.
func (s *stage) killAgent(c *kit.Stream) {
	for _, e := range slices.Backward(c.Events()) {
		if pid := int(e.GetRun().GetPid()); pid > 1 {
			s.must(syscall.Kill(pid, syscall.SIGKILL), "kill the agent")
			return
		}
	}
	s.fail("there is no agent to kill")
}
