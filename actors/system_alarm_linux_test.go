package actors

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/actortest"
	"betcode/actors/run"
	"betcode/messages"
)

// switches is the state of a process and how often it was taken off a processor: while a process is stopped the number
// stays, and a process that is continued and stopped again has a larger one.
func switches(t *testing.T, pid int) (state byte, count string) {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		name, value, _ := strings.Cut(line, ":")
		switch value = strings.TrimSpace(value); name {
		case "State":
			state = value[0]
		case "voluntary_ctxt_switches", "nonvoluntary_ctxt_switches":
			count += value + " "
		}
	}
	return state, count
}

// An alarm that came after the run's actor was created is known to the actor's next
// incarnation, which does not thaw the agent for a moment. The next incarnation also knows a later decision
// of a person.
func TestFrozenAgentOutlivesItsActors(t *testing.T) {
	program := filepath.Join(t.TempDir(), "agent")
	forging := strings.Replace(script, "		case $line in *'close your ears'*) exec 0", "		case $line in *'obey another'*) "+
		`printf '{"type":"control_response","response":{"subtype":"success","request_id":"forged","response":{}}}\n' ;; esac`+
		"\n		case $line in *'close your ears'*) exec 0", 1)
	if err := os.WriteFile(program, []byte(forging), 0o700); err != nil {
		t.Fatal(err)
	}
	s := withScript(t, func(o *Options) { o.Program = program })
	s.open(sessionN(1))
	r := s.follow(messages.Attach{Session: sessionN(1), Client: "ann", Stream: "s"})
	last := message(sessionN(1), 1)
	last.Content = "obey another"
	must[messages.InputAcknowledged](s, last)
	view := func() messages.SessionView {
		return must[messages.SessionView](s, messages.GetSession{Session: sessionN(1)})
	}
	s.eventually("the alarm is raised", func() bool { return r.has("notice FORGED_REQUEST") })
	pid := view().Run.Process.PID
	stopped := func() bool { state, _ := switches(t, pid); return state == 'T' }
	s.eventually("the agent is frozen", stopped)
	_, before := switches(t, pid)

	adopted := func() (times int) {
		for _, e := range r.got() {
			if strings.HasSuffix(actortest.ShowEvent(e), "run 1 adopted") {
				times++
			}
		}
		return times
	}
	const runPath, session = "/run/1", "daemon/sessions/session/"
	poisoned := func(path string, poison any) {
		t.Helper()
		times := adopted()
		s.actors.Root.Send(actor.NewPID(s.daemon.Address, session+string(sessionN(1))+path), poison)
		s.eventually("the agent is adopted", func() bool { return adopted() > times })
		must[messages.SessionView](s, messages.GetSession{Session: sessionN(1)}) // what the session sent with it is on its way
	}
	frozen := func(after string) {
		t.Helper()
		s.eventually("the run's actor holds it again", func() bool { return r.has("run 1 adopted") && stopped() })
		if state, now := switches(t, pid); state != 'T' || now != before {
			t.Errorf("after %s the agent was continued: state %c, switches %q, they were %q", after, state, now, before)
		}
	}
	poisoned(runPath, run.Lost{Err: errors.New("poison")})
	frozen("a crash of the run's actor")
	poisoned("", poison("session"))
	frozen("a crash of the session's actor")

	must[messages.SessionContinued](s, messages.ContinueSession{Session: sessionN(1)})
	s.eventually("a person has it go on", func() bool { return !stopped() })
	poisoned(runPath, run.Lost{Err: errors.New("poison")})
	must[messages.InputAcknowledged](s, message(sessionN(1), 2))
	if v := s.settled(sessionN(1)); v.Record.Run != 1 || v.Run.Process.PID != pid || v.Run.Frozen {
		t.Errorf("it does not go on: %+v", v.Run)
	}
}
