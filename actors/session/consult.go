package session

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/claude/transcript"
	"betcode/actors/internal/texts"
	"betcode/messages"
	"betcode/messages/regular"
)

// When an agent process is gone, its own transcript decides which messages are
// part of the conversation: those are not given again, the others are. The agent
// would recognise some of them by their uuid, but not all (decision 12). It decides
// as well whether the turn that the journal knows as running has ended since: the
// result may be lost with the process, and a restored journal is older than the
// transcript (decision 320).

// transcriptRead brings what the transcript of an ended run shows.
type transcriptRead struct {
	run          messages.RunNumber
	inTranscript map[string]bool
	end          transcript.End      // of the newest turn
	lacking      []transcript.Prompt // messages that the journal does not have
	path         string              // of the transcript
	found        bool                // there is a transcript
	err          error
}

// consultTranscript looks into the transcript before anything follows the end of a run, if
// some message may be in it. exit is nil for a run that the journal knows as
// ended.
func (t *transition) consultTranscript(exit *messages.Exit) {
	t.s.agent.exit = exit
	var keys []string
	for _, in := range t.s.inputs {
		// Also one that the agent has not acknowledged: what it wrote may have been
		// cut off behind what it remembers.
		if in.State >= messages.InputWritten || in.Run != 0 {
			keys = append(keys, in.Key)
		}
	}
	r := t.s.record
	if r.AgentSession == "" || len(keys)+len(r.InterruptedKeys) == 0 && !r.Restored {
		t.resume(transcriptRead{})
		return
	}
	t.s.agent.readingTranscript = true
	t.then(readTranscript{run: r.Run, session: r.AgentSession, keys: keys, compare: r.Restored})
}

func (t *transition) transcriptRead(m transcriptRead) {
	if m.run != t.s.record.Run || !t.s.agent.readingTranscript {
		return
	}
	t.s.agent.readingTranscript, t.s.agent.transcriptMissing = false, !m.found && m.err == nil
	if m.err != nil {
		t.notice("TRANSCRIPT_UNREADABLE", "The agent's transcript cannot be read; messages that may be in it are given again", nil)
	}
	if t.s.endReason().final() {
		t.follow(messages.Exit{Known: true})
		return
	}
	crashed := t.s.record.Restored && t.s.agent.exit != nil
	t.resume(m)
	if crashed {
		t.maybeRetire() // it did not while the transcript was read
	}
}

// resume marks the inputs that are in the transcript as done and the others as undelivered, then decides what follows.
func (t *transition) resume(m transcriptRead) {
	known := m.inTranscript
	begun, remembered, turns := false, false, !t.s.compacting()
	if !turns { // a compaction is repeated or undone, never continued
		t.change().Turn = false
	}
	for _, in := range t.s.inputs {
		if in.State == messages.InputStarted && turns {
			begun = true
			remembered = remembered || known[in.Key]
		}
	}
	for _, in := range append([]messages.InputRecord(nil), t.s.inputs...) {
		if known[in.Key] && in.State < messages.InputQueued && turns {
			t.change().Turn = true // its turn began unseen, and was interrupted
		}
		// Messages that began a turn together are one record under the last key.
		if known[in.Key] || (in.State == messages.InputStarted && remembered) {
			r := t.change()
			r.InterruptedKeys = append(slices.Clone(r.InterruptedKeys), in.Key)
			t.inputDone(in.Key)
			continue
		}
		if in.State >= messages.InputStarted && turns {
			t.s.agent.interruptedInputs = append(slices.Clone(t.s.agent.interruptedInputs), in.Key)
		}
		if in.State != messages.InputAccepted || in.Run != 0 {
			in.State, in.Run = messages.InputAccepted, 0
			t.putInput(in)
		}
	}
	t.s.agent.interrupted = t.s.agent.hung || begun || t.s.record.Turn
	if begun && !remembered {
		t.change().Turn = false // it will begin anew, with the message
	} else if turns && m.end.Reason != "" && t.s.record.Turn && len(t.s.record.InterruptedKeys)+len(m.lacking) > 0 {
		t.endUnseenTurn(m.end)
	}
	t.compared(m.lacking, m.path)
	if t.s.record.TurnCanceled && t.s.agent.interrupted {
		t.cancelInterrupted()
	}
	if exit := t.s.agent.exit; exit != nil {
		t.s.agent.exit = nil
		t.follow(*exit)
		return
	}
	if !t.s.busy() && t.s.blocked() {
		t.maybeRetire()
		return
	}
	t.afterRun()
}

// endUnseenTurn ends a turn that is over in the transcript, where its messages are, but not in the journal.
func (t *transition) endUnseenTurn(end transcript.End) {
	r := t.change()
	waiting := r.Waiting
	t.withdrawOrphans("agent")
	t.notice("TURN_ENDED_UNSEEN", "The turn has ended, as the agent's transcript shows; it is not continued", map[string]string{"stop_reason": end.Reason})
	r.Remembered = true
	t.endTurn(end.Reason)
	t.subagentEndedUnseen(end)
	t.s.agent.hung = false
	if t.s.busy() {
		r.Waiting = waiting // for other work
	}
}

// subagentEndedUnseen is subagentTurnEnded for a turn whose end only the transcript has.
func (t *transition) subagentEndedUnseen(end transcript.End) {
	switch end.Reason {
	case transcript.Cancelled:
		t.subagentTurnEnded(messages.SubagentCancelled, "the turn was cancelled")
	case transcript.Failed:
		t.subagentTurnEnded(messages.SubagentFailed, end.Text)
	default:
		t.subagentTurnEnded(messages.SubagentCompleted, end.Text)
	}
}

// compared reports the messages that a restored journal lacks, once. A session without work waits for nobody then.
func (t *transition) compared(lacking []transcript.Prompt, path string) {
	if t.s.record.Restored {
		t.change().Restored = false
	}
	if t.s.restored() && !t.s.busy() {
		t.change().Waiting = ""
	}
	n := len(lacking)
	if n == 0 {
		return
	}
	details := map[string]string{"messages": strconv.Itoa(n), "transcript": path}
	first, last := lacking[0].At, lacking[n-1].At
	if !first.IsZero() && !last.IsZero() {
		details["first_at"], details["last_at"] = first.UTC().Format(time.RFC3339), last.UTC().Format(time.RFC3339)
	}
	t.notice("JOURNAL_BEHIND", fmt.Sprintf("The agent remembers %d messages that are newer than the backup, and what it answered. "+
		"This history does not have them; the agent's transcript does: %s", n, texts.Shorten(path, maxShown)), details)
}

// cancelInterrupted ends a cancelled turn whose agent is gone: the next agent neither continues nor repeats it.
func (t *transition) cancelInterrupted() {
	for _, key := range t.s.agent.interruptedInputs {
		t.notice("INPUT_DROPPED", "A message is not given to the agent again: its turn was cancelled", map[string]string{"idempotency_key": key})
		t.inputDone(key)
	}
	t.s.agent.interruptedInputs, t.s.agent.hung = nil, false
	t.change().Turn = true // endTurn announces the end of a turn that runs
	t.endTurn("cancelled")
}

// read looks for the transcript below the agent's configuration directory. One that is not there shows nothing. Of several, for
// several working directories, the one with the newest message shows how the conversation ended.
func (e readTranscript) read(environment []string, known func(key string) (bool, error)) any {
	found := transcriptRead{run: e.run, inTranscript: map[string]bool{}}
	files, err := claude.Transcripts(environment, e.session)
	if err != nil {
		found.err = err
		return found
	}
	var newest transcript.Report
	for _, path := range files {
		found.found = true
		report, err := readFile(path, e.keys)
		found.err = errors.Join(found.err, err)
		for key := range report.Known {
			found.inTranscript[key] = true
		}
		if found.path == "" || report.Newest().After(newest.Newest()) {
			newest, found.path = report, path
		}
	}
	if found.err != nil {
		return found
	}
	found.end = newest.End
	if e.compare {
		found.lacking, found.err = newest.Since(known)
	}
	return found
}

// readFile reads one transcript. One that is gone again shows nothing.
func readFile(path string, keys []string) (transcript.Report, error) {
	file, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return transcript.Report{}, nil
	}
	if err != nil {
		return transcript.Report{}, err
	}
	defer file.Close()
	return transcript.Read(file, keys)
}
