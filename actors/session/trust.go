package session

import (
	"fmt"
	"slices"
	"strings"

	"betcode/actors/internal/claude"
	"betcode/actors/run"
	"betcode/actors/session/ending"
	"betcode/actors/session/trust"
	"betcode/messages"
	"betcode/messages/visible"
)

// An agent obeys the files of its directory while the user trusts their content. The content is compared before the agent starts,
// before each message to an idle agent, and after each tool call of an agent that obeys the directory: Claude Code reads its
// settings again when they change, so hooks that a checkout brings would run in the same turn. An agent that obeys content which is
// not trusted any more is replaced by a restricted one, which continues the turn.

// lookTrust compares the directory's content with what is trusted; then trustLooked.
type lookTrust struct {
	trust.Look

	run messages.RunNumber
}

func (lookTrust) Effect() {}

type trustLooked struct {
	run   messages.RunNumber
	fresh bool
	guard messages.Guard // that a new agent would have
	err   error
}

func (e lookTrust) asks(d *Deps, s *state) func() any {
	directory, added, environment := s.record.WorkingDirectory, s.agentOptions().Directories, d.Environment(s.environment())
	return func() any {
		guard, err := d.Guard(directory, added, environment, e.Search)
		return trustLooked{e.run, e.Fresh, guard, err}
	}
}

// guarded notes how the agent was started.
func (t *transition) guarded(m messages.ProcessStarted) {
	t.s.agent.guard, t.s.agent.trust = m.Guard, trust.Started(m.Adopted)
	if m.Adopted {
		t.s.announced.trust = m.Guard.Digest // in history
	}
	t.announceGuard()
}

// announceGuard announces which content of the directory is not in effect, once for each content.
func (t *transition) announceGuard() {
	g := t.s.agent.guard
	if !g.Restricted() || t.s.announced.trust == g.Digest {
		return
	}
	t.s.announced.trust = g.Digest
	directory := t.s.record.WorkingDirectory
	message := fmt.Sprintf("The agent does not obey the files of %s, which is not trusted: %s. Review it with 'betcode trust %s'.",
		directory, trust.Withheld(g), visible.ShellWord(directory))
	details := map[string]string{"directory": directory, "files": strings.Join(trust.Files(g), "\n")}
	t.notice(string(messages.NotTrusted), message, details)
	t.call(string(messages.NotTrusted), message, details)
}

// trustUnchecked reports whether the content of the directory has to be compared before the
// agent gets a message, and starts the comparison.
func (t *transition) trustUnchecked() bool {
	if !t.s.options.OwnRules || t.s.agent.trust.Fresh() || t.s.record.Turn || !t.s.hasUndelivered() {
		return false
	}
	t.lookTrust(true, false)
	return true
}

func (t *transition) lookTrust(fresh, search bool) {
	if look, due := t.s.agent.trust.Look(fresh, search); due {
		t.then(lookTrust{look, t.s.record.Run})
	}
}

// watchTrust starts a comparison after a tool call, and when the agent has loaded other
// commands: it takes skills of a directory below its own when it reads a file there.
func (t *transition) watchTrust(items []claude.Item) {
	if !t.s.options.OwnRules || t.s.agent.guard.Mode != messages.GuardOff || !t.s.agent.up || t.s.replacing() {
		return
	}
	done := slices.ContainsFunc(items, func(i claude.Item) bool { _, is := i.(claude.ToolDone); return is })
	search := slices.ContainsFunc(items, func(i claude.Item) bool { _, is := i.(claude.CommandsChanged); return is })
	if done || search {
		t.lookTrust(false, search)
	}
}

// trustLooked compares the agent with the present content: it is replaced if it obeys what is not trusted, or, while it is idle, if
// it could obey what is trusted now.
func (t *transition) trustLooked(m trustLooked) {
	if m.run != t.s.record.Run || !t.s.agent.trust.Looked() || !t.s.agent.up || t.s.replacing() {
		return
	}
	resting := !t.s.record.Turn && len(t.s.record.Background) == 0 && !t.s.prompts.AgentWaits()
	switch trust.Judge(t.s.agent.guard, m.guard, m.err != nil, resting) {
	case trust.Replaces:
		t.s.agent.directory = nil
		t.s.ending.Restart = true
		t.replaceAgent(ending.Replace, run.StopResumable)
		return
	case trust.Renews:
		t.s.agent.guard = m.guard
		t.announceGuard()
	case trust.Keeps:
	}
	if t.s.agent.trust.Owes() {
		t.lookTrust(false, true)
		return
	}
	t.s.agent.trust.Compared(m.fresh)
}
