package orchestration

import (
	"testing"

	"betcode/messages"
)

func TestClientsCancel(t *testing.T) {
	w := newWorld(steps(needs("a"), needs("b", "a"), needs("c")))
	w.limit = 1
	w.send(resumed{})
	w.send(messages.CancelOrchestration{Step: "c", Reason: "not needed"})
	w.want(t, "a=running b=pending c=cancelled", messages.OrchestrationRunning)
	w.send(messages.CancelOrchestration{Step: "a"})
	w.want(t, "a=cancelling b=pending c=cancelled", messages.OrchestrationRunning)
	w.complete("a", "it was faster")
	w.want(t, "a=completed b=running c=cancelled", messages.OrchestrationRunning)
	w.send(messages.CancelOrchestration{})
	w.want(t, "a=completed b=cancelling c=cancelled", messages.OrchestrationStopping)
	w.send(messages.RetryOrchestration{})
	if e, ok := w.answers[len(w.answers)-1].(*messages.Error); !ok || e.Kind != messages.WrongState || e.Hint == "" {
		t.Errorf("answered %v", w.answers[len(w.answers)-1])
	}
	w.crash()
	w.sync()
	if w.cancelled[w.steps[1].subagent] == "" {
		t.Error("nobody cancels b after a crash")
	}
	w.end("b", Outcome{Status: messages.StepCancelled})
	w.want(t, "a=completed b=cancelled c=cancelled", messages.OrchestrationFailed)
	w.send(messages.RetryOrchestration{Step: "b"})
	w.want(t, "a=completed b=running c=cancelled", messages.OrchestrationRunning)
}

func TestPause(t *testing.T) {
	w := newWorld(steps(needs("a"), needs("b", "a")))
	w.send(resumed{})
	w.send(messages.PauseOrchestration{Paused: true})
	w.complete("a", "")
	w.want(t, "a=completed b=pending", messages.OrchestrationRunning)
	w.crash()
	w.sync()
	w.want(t, "a=completed b=pending", messages.OrchestrationRunning)
	w.send(messages.PauseOrchestration{})
	w.want(t, "a=completed b=running", messages.OrchestrationRunning)
}

// An orchestration from a backup starts nothing until a person lets it continue: neither steps that wait nor those that ran.
func TestRestored(t *testing.T) {
	restored := func(w *world) {
		w.journal = append(w.journal, messages.OrchestrationEvent{Seq: w.head + 1, At: w.now, Kind: messages.EventRestored})
		w.crash()
		w.sync()
		clear(w.spawned)
	}
	w := newWorld(steps(needs("a"), needs("b"), needs("c", "b")))
	w.send(resumed{})
	w.complete("b", "")
	restored(w)
	w.send(limitChanged{})
	w.crash()
	w.sync()
	if v := w.view(false); len(w.spawned) > 0 || !v.Paused || v.Reason == "" {
		t.Fatalf("%v %+v", w.spawned, v)
	}
	w.send(messages.PauseOrchestration{})
	w.want(t, "a=running b=completed c=running", messages.OrchestrationRunning)
	if len(w.spawned) != 2 || w.view(false).Reason != "" {
		t.Errorf("%v", w.spawned)
	}

	w = newWorld(steps(needs("a"), needs("b", "a")))
	w.send(resumed{})
	restored(w)
	w.send(messages.CancelOrchestration{})
	if len(w.spawned) != 1 || len(w.cancelled) != 1 { // a subagent that is there is found, and ended
		t.Errorf("%v %v", w.spawned, w.cancelled)
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		m  any
		op string
	}{
		{messages.CancelOrchestration{Step: "z"}, "cancel orchestration"},
		{messages.RetryOrchestration{Step: "z"}, "retry orchestration"},
		{messages.RetryOrchestration{Step: "a"}, "retry orchestration"},
		{messages.RetryOrchestration{}, "retry orchestration"},
		{messages.PauseOrchestration{Paused: true}, "pause orchestration"},
		{messages.PauseOrchestration{}, "resume orchestration"},
	} {
		w := newWorld(steps(needs("a")))
		w.send(resumed{})
		w.complete("a", "")
		head := w.head
		w.send(c.m)
		if e, ok := w.answers[0].(*messages.Error); !ok || e.Op != c.op || e.Hint == "" || w.head != head {
			t.Errorf("%+v: %v", c.m, w.answers[0])
		}
	}
}
