package session

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"betcode/actors/internal/claude/transcript"
	"betcode/messages"
)

// overIn is inTranscript for a conversation whose newest turn has ended, with messages that the journal lacks.
func overIn(run messages.RunNumber, lacking int, keys ...string) transcriptRead {
	m := inTranscript(run, keys...)
	m.end, m.path = transcript.End{Reason: "end_turn", Text: "Done."}, "/t.jsonl"
	for i := range lacking {
		m.lacking = append(m.lacking, transcript.Prompt{Key: "later", At: dawn.Add(time.Duration(i) * time.Hour)})
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
	if r := b.state.record; r.Turn || r.Phase != messages.PhaseIdle || len(b.state.inputs) != 0 || !r.Remembered {
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

// What the transcript says is read from files, and compared with the journal.
func TestReadTranscript(t *testing.T) {
	home := t.TempDir()
	write := func(project, text string) string {
		path := filepath.Join(home, ".claude", "projects", project, "c.jsonl")
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const answer = `{"type":"assistant","message":{"stop_reason":"end_turn","content":[]}}` + "\n"
	prompt := func(key, at string) string {
		return `{"type":"user","uuid":"` + key + `","timestamp":"` + at + `","message":{"content":"x"}}` + "\n"
	}
	write("old", prompt("k1", "2026-11-20T10:00:00Z"))
	path := write("new", prompt("k2", "2026-11-21T10:00:00Z")+answer+prompt("k3", "2026-11-22T10:00:00Z")+answer)
	known := func(key string) (bool, error) { return key == "k2", nil }
	read := func(e readTranscript) transcriptRead {
		return e.read([]string{"HOME=" + home}, known).(transcriptRead)
	}
	got := read(readTranscript{run: 1, session: "c", keys: []string{"k1", "k9"}, compare: true})
	if got.err != nil || !got.found || !got.inTranscript["k1"] || got.inTranscript["k9"] || got.end.Reason != "end_turn" || got.path != path {
		t.Errorf("%+v", got)
	}
	if len(got.lacking) != 1 || got.lacking[0].Key != "k3" {
		t.Errorf("lacking: %v", got.lacking)
	}
	if got := read(readTranscript{run: 1, session: "c", keys: []string{"k1"}}); len(got.lacking) != 0 {
		t.Errorf("compared without need: %v", got.lacking)
	}
	if got := read(readTranscript{run: 1, session: "other", compare: true}); got.found || got.err != nil || got.end.Reason != "" {
		t.Errorf("%+v", got)
	}
	known = func(string) (bool, error) { return false, errors.New("broken") }
	if got := read(readTranscript{run: 1, session: "c", compare: true}); got.err == nil || slices.ContainsFunc(got.lacking, func(transcript.Prompt) bool { return true }) {
		t.Errorf("%+v", got)
	}
}
