package session

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/journal"
	"betcode/actors/settings"
	"betcode/messages"
)

// answered returns what an asker was answered.
func answered(effects []act.Effect, who *actor.PID) (answers []any) {
	for _, e := range effects {
		if r, ok := e.(act.Reply); ok && r.To == who {
			answers = append(answers, r.With)
		}
	}
	return answers
}

func damagedSession(t *testing.T) (state, *actor.PID) {
	t.Helper()
	early := actor.NewPID("", "early")
	s := state{id: sessionA, options: Options{Runs: "/runs", Settings: &settings.Settings{}}}
	s, effects := s.step(env{}, early, messages.SendInput{Session: sessionA})
	if len(effects) != 0 {
		t.Fatalf("before the load: %v", effects)
	}
	damage := &messages.Error{Op: "load session", Kind: messages.DataLoss, Err: errors.New("a record is cut"), Hint: "export it"}
	s, effects = s.step(env{}, nil, journal.Unloadable{DamagedSession: messages.DamagedSession{
		Record: messages.SessionRecord{ID: sessionA, Name: "mine", Head: 7, Phase: messages.PhaseDamaged}, Err: damage,
	}})
	got := answered(effects, early)
	if len(got) != 1 || messages.KindOf(got[0].(error)) != messages.DataLoss {
		t.Fatalf("who asked early: %v", got)
	}
	if got[0] == any(damage) {
		t.Error("the error is shared")
	}
	if s.idle() {
		t.Error("it goes while its agents are being ended")
	}
	s, effects = s.step(env{}, nil, straysEnded{ended: 1})
	if len(effects) != 0 || !s.idle() {
		t.Errorf("agents ended: %v, idle %v", effects, s.idle())
	}
	return s, early
}

// TestDamagedSessionAnswersAtOnce asks a session that cannot be loaded.
func TestDamagedSessionAnswersAtOnce(t *testing.T) {
	s, _ := damagedSession(t)
	ann := actor.NewPID("", "ann")
	for _, m := range []any{
		messages.SendInput{Session: sessionA},
		messages.Attach{Session: sessionA},
		messages.StartSession{Session: sessionA},
		messages.RenameSession{Session: sessionA},
		messages.CompactSession{Session: sessionA},
	} {
		next, effects := s.step(env{}, ann, m)
		got := answered(effects, ann)
		if len(got) != 1 || len(effects) != 1 {
			t.Errorf("%T: %v", m, effects)
			continue
		}
		var e *messages.Error
		if err, ok := got[0].(error); !ok || !errors.As(err, &e) || e.Kind != messages.DataLoss || e.Hint == "" {
			t.Errorf("%T: answered %v", m, got[0])
		}
		s = next
	}
	_, effects := s.step(env{}, ann, messages.GetSession{Session: sessionA})
	if view, ok := answered(effects, ann)[0].(messages.SessionView); !ok || view.Record.Head != 7 || view.Record.Name != "mine" {
		t.Errorf("shown: %v", effects)
	}
}

// TestDamagedSessionIsDeleted ends the agents first, and deletes once.
func TestDamagedSessionIsDeleted(t *testing.T) {
	s, _ := damagedSession(t)
	damage := s.durable.damage.Err
	ann, bob := actor.NewPID("", "ann"), actor.NewPID("", "bob")
	s, effects := s.step(env{}, ann, messages.DeleteSession{Session: sessionA, Client: "ann"})
	if len(effects) != 1 || effects[0] != (endStrays{"/runs/" + string(sessionA)}) {
		t.Fatalf("delete: %v", effects)
	}
	s, effects = s.step(env{}, bob, messages.DeleteSession{Session: sessionA, Client: "bob"})
	if len(effects) != 0 || s.idle() {
		t.Fatalf("again: %v, idle %v", effects, s.idle())
	}
	s, effects = s.step(env{}, nil, straysEnded{})
	p, ok := effects[0].(persist)
	if len(effects) != 1 || !ok || !p.Delete || p.Session != sessionA {
		t.Fatalf("agents ended: %v", effects)
	}
	s, effects = s.step(env{}, nil, messages.Committed{Session: sessionA, Commit: p.Commit})
	if said, ok := effects[0].(auditing); !ok || !reflect.DeepEqual(said.entry, messages.AuditEntry{
		Type: messages.AuditSessionComplete, Session: sessionA, ActorType: messages.ActorUser, ActorID: "ann", Outcome: messages.OutcomeSuccess,
		Context: map[string]string{"by": "delete", "damage": damage.Error()},
	}) {
		t.Errorf("audited: %v", effects[0])
	}
	for _, who := range []*actor.PID{ann, bob} {
		if got := answered(effects, who); len(got) != 1 || got[0] != (messages.Done{}) {
			t.Errorf("%s: %v", who.Id, got)
		}
	}
	_, effects = s.step(env{}, ann, messages.GetSession{Session: sessionA})
	if got := answered(effects, ann); len(got) != 1 || messages.KindOf(got[0].(error)) != messages.NotFound {
		t.Errorf("afterwards: %v", got)
	}
}

// TestDamagedSessionKeepsAnAgentThatCannotBeEnded neither deletes nor hangs.
func TestDamagedSessionKeepsAnAgentThatCannotBeEnded(t *testing.T) {
	s, _ := damagedSession(t)
	ann, down := actor.NewPID("", "ann"), actor.NewPID("", "shutdown")
	s, _ = s.step(env{}, ann, messages.DeleteSession{Session: sessionA})
	s, _ = s.step(env{}, down, EndAgent{})
	s, effects := s.step(env{}, nil, straysEnded{err: errors.New("refused")})
	if got := answered(effects, ann); len(got) != 1 || messages.KindOf(got[0].(error)) != messages.Internal {
		t.Errorf("delete: %v", got)
	}
	if got := answered(effects, down); len(got) != 1 || got[0] != (AgentEnded{Session: sessionA}) {
		t.Errorf("shutdown: %v", got)
	}
	if slices.ContainsFunc(effects, func(e act.Effect) bool { _, ok := e.(auditing); return ok }) {
		t.Errorf("audited: %v", effects)
	}
	if _, effects = s.step(env{}, ann, messages.StopSession{Session: sessionA}); len(effects) != 1 {
		t.Errorf("stop: %v", effects)
	}
}

// TestDamagedSessionIsStopped audits a stop once, with its first caller, and audits none
// that failed.
func TestDamagedSessionIsStopped(t *testing.T) {
	s, _ := damagedSession(t)
	damage := s.durable.damage.Err
	ann, bob := actor.NewPID("", "ann"), actor.NewPID("", "bob")
	s, _ = s.step(env{}, ann, messages.StopSession{Session: sessionA, Client: "ann"})
	s, _ = s.step(env{}, bob, messages.StopSession{Session: sessionA, Client: "bob"})
	s, effects := s.step(env{}, nil, straysEnded{ended: 1})
	if len(effects) != 3 {
		t.Fatalf("stopped: %v", effects)
	}
	if said, ok := effects[0].(auditing); !ok || !reflect.DeepEqual(said.entry, messages.AuditEntry{
		Type: messages.AuditSessionComplete, Session: sessionA, ActorType: messages.ActorUser, ActorID: "ann", Outcome: messages.OutcomeSuccess,
		Context: map[string]string{"by": "stop", "damage": damage.Error()},
	}) {
		t.Errorf("audited: %v", effects[0])
	}
	for _, who := range []*actor.PID{ann, bob} {
		if got := answered(effects, who); len(got) != 1 || got[0] != (messages.SessionStopped{WasRunning: true}) {
			t.Errorf("%s: %v", who.Id, got)
		}
	}
	s, _ = s.step(env{}, ann, messages.StopSession{Session: sessionA, Client: "ann"})
	_, effects = s.step(env{}, nil, straysEnded{err: errors.New("refused")})
	if got := answered(effects, ann); len(effects) != 1 || len(got) != 1 || messages.KindOf(got[0].(error)) != messages.Internal {
		t.Errorf("a stop that fails: %v", effects)
	}
}
