package session

import (
	"slices"
	"strings"
	"testing"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/internal/control"
	"betcode/actors/run"
	"betcode/actors/settings"
	"betcode/messages"
)

// askingFor is a bench whose agent asks whether it may make a call.
func askingFor(t tester, call string) *bench {
	b := turning(t)
	asked := asks("p1", "Bash")
	asked.ToolUse = call
	b.tell(b.out(asked))
	b.quiet()
	return b
}

func alarmed(b *bench) (codes []messages.Code) {
	for _, e := range b.effects {
		if a, ok := e.(auditing); ok && (a.entry.Type == messages.AuditSelfApproved || a.entry.Type == messages.AuditForgedRequest || a.entry.Type == messages.AuditForgedInput) {
			codes = append(codes, messages.Code(a.entry.ErrorCode))
		}
	}
	return codes
}

func TestSelfApprovalIsAnAlarm(t *testing.T) {
	host := claude.ToolDone{ID: "call", Tool: "Bash", Verdict: claude.VerdictHost}
	failed := host
	failed.IsError = true
	answered := func(d messages.Decision) func(b *bench) {
		return func(b *bench) {
			b.tell(won(answer("ann", "p1", d)))
			b.tell(messages.AnswerWritten{Run: 1, Request: "p1"})
		}
	}
	withdrawn := func(b *bench) { b.tell(b.out(claude.PermissionWithdrawn{Request: "p1"})) }
	crash := func(b *bench) { b.crash(); b.tell(b.adopted()) }
	for _, test := range []struct {
		name   string
		before []func(*bench)
		done   claude.ToolDone
		alarm  bool
	}{
		{"nobody has answered", nil, host, true},
		{"and the call failed", nil, failed, true},
		{"and the daemon was killed meanwhile", []func(*bench){crash}, host, true},
		{"withdrawn before", []func(*bench){withdrawn}, host, true},
		{"withdrawn before a crash", []func(*bench){withdrawn, crash}, host, true},
		{"denied", []func(*bench){answered(messages.Deny)}, host, true},
		{"denied before a crash", []func(*bench){answered(messages.Deny), crash}, host, true},
		{"allowed", []func(*bench){answered(messages.AllowOnce)}, host, false},
		{"allowed, and the answer's fate is not known", []func(*bench){func(b *bench) { b.tell(won(answer("ann", "p1", messages.AllowOnce))) }, crash}, host, false},
		{"allowed before a crash", []func(*bench){answered(messages.AllowSession), crash}, host, false},
		{"a hook decided", []func(*bench){withdrawn}, claude.ToolDone{ID: "call", Verdict: claude.VerdictOther}, false},
		{"denied and refused", []func(*bench){answered(messages.Deny)}, claude.ToolDone{ID: "call", IsError: true, Verdict: claude.VerdictOther}, false},
		{"an agent that does not say, refused", nil, claude.ToolDone{ID: "call", IsError: true}, false},
		{"another call", nil, claude.ToolDone{ID: "other", Verdict: claude.VerdictHost}, false},
		{"cut off", nil, claude.ToolDone{ID: "call", IsError: true, Lost: true}, false},
	} {
		b := askingFor(t, "call")
		for _, f := range test.before {
			f(b)
		}
		b.quiet()
		b.tell(b.out(test.done))
		if got := alarmed(b); slices.Contains(got, messages.SelfApproved) != test.alarm || len(got) > 1 {
			t.Errorf("%s: alarms %q", test.name, got)
		}
		b.quiet()
		b.tell(b.out(test.done))
		if got := alarmed(b); len(got) > 0 {
			t.Errorf("%s: told again: %q", test.name, got)
		}
	}
}

// An agent that does not report who decided is only told of: a hook may have.
func TestSelfApprovalWithoutAVerdict(t *testing.T) {
	b := askingFor(t, "call")
	b.tell(b.out(claude.ToolDone{ID: "call"}))
	if got := alarmed(b); !slices.Equal(got, []messages.Code{messages.SelfApproved}) || b.state.frozen() || b.state.blocked() {
		t.Errorf("alarms %q, frozen %v", got, b.state.frozen())
	}
}

// Versions before 2.1.119 answer a change of the permission mode twice, also before
// their first turn. That is no alarm; the answer to a request that we did not send is one
// with every version.
func TestOldAgentsAnswerTwice(t *testing.T) {
	for version, twice := range map[string]bool{"2.0.77": false, "2.1.20": false, "2.1.119": true, "2.1.330": true, "": true} {
		b := starting(t)
		b.tell(b.of(version))
		b.quiet()
		answer := claude.ControlAnswered{Request: control.ID(b.state.run, "set-mode-x"), OK: true}
		b.tell(b.out(answer))
		if got := alarmed(b); len(got) > 0 {
			t.Errorf("%s: one answer raises %q", version, got)
		}
		b.tell(b.out(answer))
		if got := alarmed(b); slices.Contains(got, messages.ForgedRequest) != twice || b.state.frozen() != twice {
			t.Errorf("%s: two answers raise %q", version, got)
		}
		b.quiet()
		b.tell(b.out(claude.ControlAnswered{Request: "set-mode-y", OK: true}))
		if got := alarmed(b); !slices.Contains(got, messages.ForgedRequest) {
			t.Errorf("%s: a request that is not ours raises %q", version, got)
		}
	}
}

// A run that an older daemon began has no key; its answers raise nothing.
func TestRunWithoutAKey(t *testing.T) {
	b := turning(t)
	run := *b.state.run
	run.ControlKey = ""
	b.state.run, b.journal.Runs[1] = &run, run
	b.tell(b.out(claude.ControlAnswered{Request: "barrier-old", OK: true}))
	if got := alarmed(b); len(got) > 0 {
		t.Errorf("alarms %q", got)
	}
}

func TestFrozenAgent(t *testing.T) {
	b := askingFor(t, "call")
	b.on(b.out(claude.ToolDone{ID: "call", Tool: "Bash", Verdict: claude.VerdictHost}), "run 1: hold for alarm",
		"all: 8 notice SELF_APPROVED, 9 ERROR, 10 resolved p1 PERMISSION_DECISION_UNSPECIFIED by agent", "notify SELF_APPROVED", "stop waiting for p1")
	for _, m := range []any{input("ann", "k2"), messages.CancelTurn{Session: sessionA, Client: "ann"}} {
		b.tell(m)
		if said := strings.Join(b.quiet(), "; "); !strings.Contains(said, "AGENT_FROZEN") {
			t.Errorf("%T: %s", m, said)
		}
	}
	b.crash()
	b.tell(b.adopted())
	if !b.state.frozen() || !b.state.blocked() {
		t.Fatal("the next daemon lets it go on")
	}
	if !slices.ContainsFunc(b.effects, func(e act.Effect) bool {
		r, ok := e.(sendToRun)
		return ok && r.message == any(run.Freeze{Why: run.Alarm, On: true})
	}) {
		t.Error("the run's actor is not told that the agent is frozen")
	}
	b.quiet()
	b.on(messages.ContinueSession{Session: sessionA}, "run 1: no longer hold for alarm", "to op: continued, was waiting true")
	if b.state.frozen() || b.state.blocked() {
		t.Error("it is frozen still")
	}
}

func TestReactionsToAnAlarm(t *testing.T) {
	for reaction, want := range map[settings.OnAlarm]any{settings.AlarmFreezes: run.Freeze{Why: run.Alarm, On: true}, settings.AlarmStops: run.Stop{How: run.StopKill}, settings.AlarmTells: nil} {
		b := askingFor(t, "call")
		b.state.options.OnAlarm = reaction
		b.tell(b.out(claude.ToolDone{ID: "call", Verdict: claude.VerdictHost}))
		var told any
		for _, e := range b.effects {
			if r, ok := e.(sendToRun); ok {
				switch r.message.(type) {
				case run.Freeze, run.Stop:
					told = r.message
				}
			}
		}
		if told != want || b.state.blocked() != (want != nil) {
			t.Errorf("%s: %v, stands %v", reaction, told, b.state.blocked())
		}
	}
}

// Nothing goes on by itself behind an agent that was killed for an alarm.
func TestAlarmOutlivesTheRun(t *testing.T) {
	b := askingFor(t, "call")
	b.state.options.OnAlarm = settings.AlarmStops
	b.tell(b.out(claude.ToolDone{ID: "call", Verdict: claude.VerdictHost}))
	b.tell(messages.RunEnded{Run: 1, Exit: messages.Exit{Known: true, Signal: "SIGKILL", Reason: "killed", At: dawn}})
	b.tell(inTranscript(1))
	b.quiet()
	if b.state.record.Phase != messages.PhaseCrashed {
		t.Errorf("the session is %s without an agent", b.state.record.Phase)
	}
	b.crash()
	b.quiet()
	if b.state.active() || !b.state.blocked() || b.state.record.Condition != messages.AgentAlarmed {
		t.Errorf("active %v, condition %q", b.state.active(), b.state.record.Condition)
	}
	b.tell(messages.ContinueSession{Session: sessionA})
	if !b.state.active() || b.state.record.Phase != messages.PhaseActive {
		t.Error("a person's word starts nothing")
	}
}

// A daemon that ends with a frozen agent leaves no session that looks as if it had one.
func TestAlarmOutlivesTheDaemon(t *testing.T) {
	b := askingFor(t, "call")
	b.tell(b.out(claude.ToolDone{ID: "call", Verdict: claude.VerdictHost}))
	b.tell(EndAgent{})
	b.tell(messages.RunEnded{Run: 1, Exit: messages.Exit{Known: true, Signal: "SIGKILL", Reason: "killed", At: dawn}})
	b.quiet()
	if b.state.active() || b.state.record.Phase != messages.PhaseCrashed || b.state.record.Condition != messages.AgentAlarmed {
		t.Errorf("active %v, phase %s, condition %q", b.state.active(), b.state.record.Phase, b.state.record.Condition)
	}
}
