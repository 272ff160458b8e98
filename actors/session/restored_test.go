package session

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"betcode/actors/internal/claude/transcript"
	"betcode/actors/session/recall"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// overIn is inTranscript for a conversation whose newest turn has ended, with messages that the journal lacks.
func overIn(run messages.RunNumber, lacking int, keys ...string) recall.Answer {
	m := inTranscript(run, keys...)
	m.End, m.Path = transcript.End{Reason: "end_turn", Text: "Done."}, "/t.jsonl"
	for i := range lacking {
		m.Lacking = append(m.Lacking, transcript.Prompt{Key: "later", At: dawn.Add(time.Duration(i) * time.Hour)})
	}
	return m
}

// restoring replaces the journal by one from a backup of now, in which the session waits for a person if it had work.
func restoring(b *bench) {
	b.t.Helper()
	b.reads = true
	r := &b.journal.Record
	if r.Restored = true; r.Turn || len(b.journal.Inputs) > 0 {
		r.Waiting = messages.WaitsRestored
	}
	b.crash()
}

// An agent that dies when its turn is on disk has not printed the result. The turn is over: no other agent is started for it.
func TestTurnThatEndedUnseen(t *testing.T) {
	b := turning(t)
	b.tell(b.exit(137))
	b.quiet()
	b.on(overIn(1, 0, "k1"), "all: 7 notice TURN_ENDED_UNSEEN, 8 turn end_turn, 9 IDLE, 10 "+crashedEvent)
	if r := b.state.record; r.Turn || r.Phase != messages.PhaseIdle || len(b.state.inputs) != 0 || !r.InTranscript {
		t.Errorf("%+v, inputs %+v", r, b.state.inputs)
	}
}

// The end of an older turn says nothing about one that the transcript does not know.
func TestTurnThatTheTranscriptDoesNotKnow(t *testing.T) {
	b := turning(t)
	b.tell(b.exit(137))
	b.quiet()
	b.on(overIn(1, 0), "all: 7 "+crashedEvent, "in 500ms session.restartDue")
	b.now = b.now.Add(time.Second)
	b.tell(restartDue{1})
	b.quiet()
	b.on(b.up(), "all: 8 run 2 started", "run 2: write k1")
}

// A continued turn may end unseen as well. Its message is done since the first interruption.
func TestContinuedTurnThatEndedUnseen(t *testing.T) {
	b := turning(t)
	b.reads = true
	b.tell(b.exit(137))
	b.tell(inTranscript(1, "k1"))
	b.now = b.now.Add(time.Second)
	b.tell(restartDue{1})
	b.tell(b.up())
	b.quiet()
	b.on(b.exit(137), "all: 9 run 2 exited", "drop run 2", "look for nothing in the transcript")
	b.on(overIn(2, 0), "all: 10 notice TURN_ENDED_UNSEEN, 11 turn end_turn, 12 IDLE, 13 "+crashedEvent)
}

// The journal of a backup has a turn that is over in the transcript, and the conversation went on. The turn is not continued, by
// nobody's order, and a person is told what is lacking.
func TestRestoredTurnIsOver(t *testing.T) {
	b := turning(t)
	b.tell(b.exit(137)) // the transcript is not read before the backup
	b.quiet()
	restoring(b)
	b.expect("the restore", "look for k1 in the transcript, and compare")
	b.on(overIn(1, 2, "k1"), "all: 7 notice TURN_ENDED_UNSEEN, 8 turn end_turn, 9 IDLE, 10 notice JOURNAL_BEHIND", "retire")
	r := b.state.record
	if r.Waiting != "" || r.Restored || r.Turn || r.Phase != messages.PhaseIdle {
		t.Errorf("%+v", r)
	}
	b.crash()
	b.expect("the next daemon")
}

// Other work of the backup still waits for a person.
func TestRestoredWorkWaits(t *testing.T) {
	b := turning(t)
	b.tell(input("ann", "k2"))
	b.tell(b.exit(137))
	b.quiet()
	restoring(b)
	b.quiet()
	b.tell(overIn(1, 1, "k1"))
	r := b.state.record
	if r.Waiting != messages.WaitsRestored || r.Phase != messages.PhaseWaiting || r.Turn || len(b.state.inputs) != 1 {
		t.Errorf("%+v, inputs %+v", r, b.state.inputs)
	}
	b.quiet()
	b.on(messages.ContinueSession{Session: sessionA}, "to op: continued, was waiting true", "run 2: "+resumedRun)
}

// A restored session without work is compared too, before its next agent starts.
func TestRestoredIdleSession(t *testing.T) {
	b := remembering(t)
	b.tell(b.exit(0))
	b.quiet()
	restoring(b)
	b.expect("the restore", "look for nothing in the transcript, and compare")
	b.tell(start("ann"))
	b.tell(input("ann", "k2"))
	if b.state.active() {
		t.Error("an agent is started before the comparison")
	}
	b.quiet()
	b.on(overIn(1, 3), "all: 9 notice JOURNAL_BEHIND", "run 2: "+resumedRun)
}

// A transcript in a directory whose name is no text, or that a terminal would obey, is named in a notice as people see it.
func TestRestoredNamesTheTranscript(t *testing.T) {
	b := remembering(t)
	b.tell(b.exit(0))
	b.quiet()
	restoring(b)
	b.quiet()
	over := overIn(1, 1)
	over.Path = "/\xff\x1b[2J\n/t.jsonl"
	b.tell(over)
	var told string
	for _, e := range b.journal.Events {
		var event pb.AgentEvent
		if err := proto.Unmarshal(e.Bytes, &event); err != nil {
			t.Fatal(err)
		}
		if n := event.GetNotice(); n.GetCode() == "JOURNAL_BEHIND" {
			told = n.GetMessage() + " " + n.GetDetails()["transcript"]
		}
	}
	if strings.Count(told, `/\xff\x1b[2J\n/t.jsonl`) != 2 {
		t.Errorf("%q", told)
	}
}
