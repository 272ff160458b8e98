package siege

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"

	"betcode/tests/kit"
	"betcode/tests/model"
)

// Scenario is one attack and its relatives, in a world of its own.
type Scenario struct {
	Name     string // named in docs/security.md, unique
	Real     bool   // with the real Claude Code; otherwise the fake agent
	Settings string // settings.json of the daemon, or empty
	Script   string // the model's script, or empty for the one in script.go
	Env      []string

	Before func(*Siege) // prepares the world before the daemon starts, or nil
	Attack func(*Siege)
}

// outcome is what one case came to.
type outcome struct {
	name   string
	held   bool
	tried  bool
	detail string // why it is open
}

// Siege is a scenario under way. Its methods end the scenario when something other
// than a case fails: then there is nothing more to be learned from it.
type Siege struct {
	context.Context

	World  *kit.World
	Daemon *kit.Daemon // nil in before
	model  *model.Server
	Built  binaries

	cases   []outcome
	failure string
	Streams []*kit.Stream
	endings []func()
}

// Held records a case: whether the daemon prevented the attack, and if not, what was observed.
func (s *Siege) Held(name string, ok bool, format string, args ...any) {
	c := outcome{name: name, held: ok, tried: true}
	if !ok {
		c.detail = fmt.Sprintf(format, args...)
	}
	s.cases = append(s.cases, c)
}

// Untried records a case that cannot be tried by this user or on this system. It counts
// neither as held nor as open.
func (s *Siege) Untried(name string) { s.cases = append(s.cases, outcome{name: name}) }

// Fail ends the scenario. It is called from the goroutine of the attack only.
func (s *Siege) Fail(format string, args ...any) {
	s.failure = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// Must ends the scenario on an error.
func (s *Siege) Must(err error, doing string) {
	if err != nil {
		s.Fail("%s: %v", doing, err)
	}
}

// Later has something done at the end, last first.
func (s *Siege) Later(end func()) { s.endings = append(s.endings, end) }

// play runs one scenario and returns its cases.
func play(ctx context.Context, a Scenario, built binaries) []outcome {
	s := &Siege{Context: ctx, Built: built}
	finished, clean := make(chan struct{}), false
	go func() { // fail ends this goroutine and no other
		defer close(finished)
		s.raise(a)
		if a.Before != nil {
			a.Before(s)
		}
		s.Start()
		a.Attack(s)
		clean = true
	}()
	<-finished
	if !clean {
		if s.failure == "" {
			s.failure = "the scenario ended early"
		}
		if s.Daemon != nil {
			s.failure += "\nthe daemon's log:\n" + s.Daemon.Log()
		}
		s.cases = append(s.cases, outcome{name: "comes to its end", tried: true, detail: s.failure})
	}
	s.end()
	return s.cases
}

// raise creates the world of a scenario.
func (s *Siege) raise(a Scenario) {
	agent, env := s.Built.fake, a.Env
	if a.Real {
		agent = s.Built.claude
		server, err := serve(a.Script)
		s.Must(err, "start the model")
		s.model = server
		s.Later(func() { _ = server.Close() }) // nothing depends on it any more
		env = append([]string{
			"ANTHROPIC_BASE_URL=" + server.URL, "ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
			"IS_SANDBOX=1", "SHELL=/bin/bash",
		}, env...)
	}
	world, err := kit.NewWorld(s.Built.betcode, agent, env...)
	s.Must(err, "make the world")
	s.World = world
	if a.Settings != "" {
		s.Write(filepath.Join(world.ConfigDir(), "settings.json"), a.Settings)
	}
}

// Start runs a daemon in the world.
func (s *Siege) Start() {
	daemon, err := s.World.Start(s)
	s.Must(err, "start the daemon")
	s.Daemon = daemon
}

// end closes everything and counts a leftover process as an open case.
func (s *Siege) end() {
	for _, stream := range s.Streams {
		stream.Close()
	}
	if s.Daemon != nil && !s.Daemon.Ended() {
		if _, err := s.Daemon.Stop(); err != nil {
			s.Held("the daemon stops", false, "%v", err)
		}
	}
	for i := len(s.endings) - 1; i >= 0; i-- {
		s.endings[i]()
	}
	if s.World == nil {
		return
	}
	if left := s.World.End(); len(left) > 0 {
		s.Held("nothing is left alive", false, "processes %v", left)
	}
	if err := s.World.Remove(); err != nil {
		s.Held("the world is removed", false, "%v", err)
	}
}
