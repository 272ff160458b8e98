package main

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"

	"betcode/tests/kit"
	"betcode/tests/model"
)

// scenario is one attack and its relatives, in a world of its own.
type scenario struct {
	name     string // said in docs/security.md, unique
	real     bool   // with the real Claude Code; otherwise the fake agent
	settings string // settings.json of the daemon, or empty
	script   string // the model's script, or empty for the one in script.go
	env      []string

	before func(*siege) // prepares the world before the daemon starts, or nil
	attack func(*siege)
}

// outcome is what one case came to.
type outcome struct {
	name   string
	held   bool
	tried  bool
	detail string // why it is open
}

// siege is a scenario under way. Its methods end the scenario when something other
// than a case fails: then there is nothing more to be learned from it.
type siege struct {
	context.Context

	world  *kit.World
	daemon *kit.Daemon // nil in before
	model  *model.Server
	built  binaries

	cases   []outcome
	failure string
	streams []*kit.Stream
	endings []func()
}

// held records a case: whether the daemon held, and if not, what was seen.
func (s *siege) held(name string, ok bool, format string, args ...any) {
	c := outcome{name: name, held: ok, tried: true}
	if !ok {
		c.detail = fmt.Sprintf(format, args...)
	}
	s.cases = append(s.cases, c)
}

// untried records a case that cannot be tried by this user or on this system. It counts
// neither as held nor as open.
func (s *siege) untried(name string) { s.cases = append(s.cases, outcome{name: name}) }

// fail ends the scenario. It is called from the goroutine of the attack only.
func (s *siege) fail(format string, args ...any) {
	s.failure = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// must ends the scenario on an error.
func (s *siege) must(err error, doing string) {
	if err != nil {
		s.fail("%s: %v", doing, err)
	}
}

// later has something done at the end, last first.
func (s *siege) later(end func()) { s.endings = append(s.endings, end) }

// play runs one scenario and returns its cases.
func play(ctx context.Context, a scenario, built binaries) []outcome {
	s := &siege{Context: ctx, built: built}
	finished, clean := make(chan struct{}), false
	go func() { // fail ends this goroutine and no other
		defer close(finished)
		s.raise(a)
		if a.before != nil {
			a.before(s)
		}
		s.start()
		a.attack(s)
		clean = true
	}()
	<-finished
	if !clean {
		if s.failure == "" {
			s.failure = "the scenario ended early"
		}
		if s.daemon != nil {
			s.failure += "\nthe daemon's log:\n" + s.daemon.Log()
		}
		s.cases = append(s.cases, outcome{name: "comes to its end", tried: true, detail: s.failure})
	}
	s.end()
	return s.cases
}

// raise makes the world of a scenario.
func (s *siege) raise(a scenario) {
	agent, env := s.built.fake, a.env
	if a.real {
		agent = s.built.claude
		server, err := serve(a.script)
		s.must(err, "start the model")
		s.model = server
		s.later(func() { _ = server.Close() }) // nothing depends on it any more
		env = append([]string{
			"ANTHROPIC_BASE_URL=" + server.URL, "ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
			"IS_SANDBOX=1", "SHELL=/bin/bash",
		}, env...)
	}
	world, err := kit.NewWorld(s.built.betcode, agent, env...)
	s.must(err, "make the world")
	s.world = world
	if a.settings != "" {
		s.write(filepath.Join(world.ConfigDir(), "settings.json"), a.settings)
	}
}

// start runs a daemon in the world.
func (s *siege) start() {
	daemon, err := s.world.Start(s)
	s.must(err, "start the daemon")
	s.daemon = daemon
}

// end closes everything and counts what is left alive as an open case.
func (s *siege) end() {
	for _, stream := range s.streams {
		stream.Close()
	}
	if s.daemon != nil && !s.daemon.Ended() {
		if _, err := s.daemon.Stop(); err != nil {
			s.held("the daemon stops", false, "%v", err)
		}
	}
	for i := len(s.endings) - 1; i >= 0; i-- {
		s.endings[i]()
	}
	if s.world == nil {
		return
	}
	if left := s.world.End(); len(left) > 0 {
		s.held("nothing is left alive", false, "processes %v", left)
	}
	if err := s.world.Remove(); err != nil {
		s.held("the world is removed", false, "%v", err)
	}
}
