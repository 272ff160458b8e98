package session

import (
	"slices"
	"strings"
	"testing"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/protect"
	"betcode/actors/permission"
	"betcode/actors/run"
	"betcode/actors/session/answers"
	"betcode/actors/session/modes"
	"betcode/actors/session/prompts"
	"betcode/messages"
)

// asked is the request to confirm a mode that waits; nil if none does.
func (b *bench) asked() *messages.PermissionRecord {
	for _, p := range b.state.prompts.List(prompts.Undecided) {
		if p.Mode != "" {
			return &p
		}
	}
	return nil
}

// answers has a client answer a request, as its actor does.
func (b *bench) answers(p messages.PermissionRecord, d messages.Decision) {
	b.tell(permission.Decided{PermissionDecided: messages.PermissionDecided{
		Answer: messages.AnswerPermission{Session: sessionA, Client: "bob", Request: p.Request, Decision: d}, By: "bob", At: b.now,
	}})
}

func wants(mode string) messages.ChangeSettings {
	return messages.ChangeSettings{Session: sessionA, Client: "ann", PermissionMode: mode}
}

// A mode in which the agent decides by itself is entered when a person has confirmed it.
func TestModeIsConfirmed(t *testing.T) {
	const exposed = "/src contains /src/.ssh"
	for name, c := range map[string]struct {
		mode, exposed string
		asked         bool
	}{
		"bypassPermissions":   {mode: "bypassPermissions", asked: true},
		"auto":                {mode: "auto", asked: true},
		"a mode of tomorrow":  {mode: "yolo", asked: true},
		"acceptEdits":         {mode: "acceptEdits"},
		"acceptEdits at home": {mode: "acceptEdits", exposed: exposed, asked: true},
		"plan at home":        {mode: "plan", exposed: exposed},
		"dontAsk":             {mode: "dontAsk"},
		"manual":              {mode: "manual"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			m := start("ann")
			m.PermissionMode, m.Exposed = c.mode, c.exposed
			b.tell(m)
			p := b.asked()
			if (p != nil) != c.asked {
				t.Fatalf("asked: %+v", p)
			}
			if !c.asked {
				if b.state.record.PermissionMode != c.mode {
					t.Errorf("the mode is %q", b.state.record.PermissionMode)
				}
				return
			}
			if b.state.record.PermissionMode != "" || p.Tool != modes.Tool || !strings.Contains(string(p.Input), c.mode) || p.Reason == "" || !p.ExpiresAt.After(b.now) {
				t.Errorf("mode %q, %+v", b.state.record.PermissionMode, p)
			}
			b.tell(input("ann", "k1"))
			if got := b.mode(); got != claude.DefaultMode {
				t.Errorf("the agent is started in %s", got)
			}
		})
	}
}

// What is answered counts for the session: once, over crashes, and for that mode alone.
func TestConfirmationIsDurable(t *testing.T) {
	b := newBench(t)
	m := start("ann")
	m.PermissionMode = "auto"
	b.tell(m)
	b.crash()
	p := b.asked()
	if p == nil {
		t.Fatal("a crash forgets the request")
	}
	b.answers(*p, messages.AllowSession)
	if b.asked() != nil || len(b.state.record.Grants) != 0 || b.state.record.PermissionMode != "auto" {
		t.Errorf("after the answer: %+v", b.state.record)
	}
	b.crash()
	b.tell(wants("default"))
	b.tell(wants("auto"))
	if b.asked() != nil || b.state.record.PermissionMode != "auto" {
		t.Errorf("asked again: %+v", b.asked())
	}
	b.tell(wants(claude.BypassMode))
	p = b.asked()
	if p == nil || b.state.record.PermissionMode != "auto" {
		t.Fatalf("%s was confirmed with another mode: %+v", claude.BypassMode, b.state.record)
	}
	b.answers(*p, messages.Deny)
	if b.asked() != nil || b.state.record.PermissionMode != "auto" || slices.Contains(b.state.record.Confirmed, claude.BypassMode) {
		t.Errorf("after the denial: %+v", b.state.record)
	}
}

// A caller that confirms with its request is not asked; a client that wants another mode
// takes the question back.
func TestConfirmedWithTheRequest(t *testing.T) {
	b := newBench(t)
	b.tell(start("ann"))
	b.tell(wants(claude.BypassMode))
	b.tell(wants("default"))
	if b.asked() != nil {
		t.Error("the question stays although another mode was chosen")
	}
	m := wants(claude.BypassMode)
	m.ConfirmMode = true
	b.tell(m)
	if b.asked() != nil || b.state.record.PermissionMode != claude.BypassMode || !slices.Equal(b.state.record.Confirmed, []string{claude.BypassMode}) {
		t.Errorf("%+v", b.state.record)
	}
	b.tell(wants("auto")) // less than what was confirmed
	if b.asked() != nil {
		t.Error("asked although bypassPermissions was confirmed")
	}
}

// A running agent enters bypassPermissions when it is started again: others it enters at once.
func TestConfirmedWhileTheAgentRuns(t *testing.T) {
	b := turning(t)
	b.tell(wants(claude.BypassMode))
	b.answers(*b.asked(), messages.AllowOnce)
	if b.state.agent.modeWish.request != "" || !b.state.agent.handover.Old {
		t.Errorf("the agent was told (%q), or is not replaced", b.state.agent.modeWish.request)
	}
	b.tell(b.out(finished("k1")))
	if !b.state.replacing() {
		t.Fatal("an agent that rests is not replaced")
	}
	b.tell(b.exit(0))
	b.tell(input("ann", "k2"))
	if got := b.mode(); got != claude.BypassMode {
		t.Errorf("the next agent has %s", got)
	}

	b = turning(t)
	b.tell(wants("auto"))
	b.answers(*b.asked(), messages.AllowOnce)
	if b.state.agent.modeWish.request == "" || b.state.agent.handover.Old {
		t.Error("the agent was not told")
	}
}

// A suggestion that changes the mode does so when that was confirmed; the call runs.
func TestSuggestedModeIsConfirmed(t *testing.T) {
	b := turning(t)
	asks := asksFor("p1", "ExitPlanMode", "")
	asks.Suggestions = []byte(`[{"type":"addRules"},{"type":"setMode","mode":"bypassPermissions","destination":"session"},{"type":"setMode","mode":"acceptEdits"},{"TYPE":"setMode","mode":"auto"}]`)
	b.tell(b.out(asks))
	b.quiet()
	b.tell(permission.Decided{PermissionDecided: messages.PermissionDecided{Answer: messages.AnswerPermission{
		Session: sessionA, Client: "bob", Request: "p1", Decision: messages.AllowOnce, Suggestions: []uint32{0, 1, 2, 3},
	}, By: "bob", At: b.now}})
	line := ""
	for _, e := range b.effects {
		if told, ok := e.(sendToRun); ok {
			if answer, ok := told.message.(run.WriteAnswer); ok {
				line = string(answer.Line)
			}
		}
	}
	if strings.Contains(line, claude.BypassMode) || !strings.Contains(line, "addRules") || !strings.Contains(line, `"acceptEdits"`) || !strings.Contains(line, `"TYPE"`) {
		t.Errorf("the agent is told %s", line)
	}
	if p := b.asked(); p == nil || p.Mode != claude.BypassMode {
		t.Errorf("no permission request is made: %+v", p)
	}
}

// An agent that changes its mode by itself is set back.
func TestModeOfTheAgentsOwn(t *testing.T) {
	b := turning(t)
	b.tell(b.out(claude.ModeChanged{Mode: claude.BypassMode}))
	if b.state.record.PermissionMode == claude.BypassMode || b.state.agent.modeWish.request == "" {
		t.Errorf("mode %q, told %q", b.state.record.PermissionMode, b.state.agent.modeWish.request)
	}
	if !slices.ContainsFunc(b.said, func(s string) bool { return strings.Contains(s, "notice MODE_TAKEN_BACK") }) {
		t.Errorf("%q", b.said)
	}
	b = turning(t)
	b.tell(b.out(claude.ModeChanged{Mode: "acceptEdits"}))
	if b.state.record.PermissionMode != "acceptEdits" {
		t.Errorf("mode %q", b.state.record.PermissionMode)
	}
}

// A session that an older daemon left in such a mode is not started in it.
func TestUnconfirmedModeOfBefore(t *testing.T) {
	b := newBench(t)
	b.tell(start("ann"))
	b.tell(wants("plan"))
	b.journal.Record.PermissionMode = claude.BypassMode
	b.crash()
	b.tell(input("ann", "k1"))
	if got := b.mode(); got != claude.DefaultMode || b.asked() == nil {
		t.Errorf("the agent has %s, asked: %+v", got, b.asked())
	}
}

// The request stands beside those of the agent, and none of them is taken for it.
func TestConfirmationIsNoCall(t *testing.T) {
	b := turning(t)
	b.tell(wants(claude.BypassMode))
	p := *b.asked()
	same := asksFor(string(p.Request), modes.Tool, "")
	same.Input = p.Input
	b.tell(b.out(same)) // under its id
	same.Request = "p9"
	b.tell(b.out(same))
	b.tell(b.exit(137))
	if now := b.asked(); now == nil || now.Request != p.Request || b.state.prompts.Get("p9").Mode != "" {
		t.Fatalf("%+v", b.state.prompts)
	}
	if _, err := answers.Line(answers.Decide(p, messages.AnswerPermission{Decision: messages.AllowWithEdit, Updated: []byte(`{}`)}), b.state.can()); err == nil {
		t.Error("the mode can be edited")
	}
}

// Home directories and those above are exposed; a project is not.
func TestExposed(t *testing.T) {
	l := protect.New(protect.Places{Home: "/home/u", Daemon: []string{"/var/lib/betcode"}}, protect.Places{})
	for dir, want := range map[string]bool{
		"/": true, "/home": true, "/home/u": true, "/home/u/.ssh": true, "/home/u/.claude/x": true, "/var/lib": true, "/home/u/project": false, "/srv/x": false,
	} {
		if got := l.Exposed(dir); (got != "") != want {
			t.Errorf("%s: %q", dir, got)
		}
	}
}
