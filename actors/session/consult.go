package session

import (
	"errors"
	"io/fs"
	"slices"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/claude/transcript"
	"betcode/messages"
	"betcode/messages/regular"
)

// When an agent process is gone, its own transcript decides which messages are
// part of the conversation: those are not given again, the others are. The agent
// would recognise some of them by their uuid, but not all (decision 12).

// transcriptRead brings the keys of the messages that are in the transcript of
// an ended run.
type transcriptRead struct {
	run          messages.RunNumber
	inTranscript map[string]bool
	found        bool // there is a transcript
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
	if len(keys) == 0 || t.s.record.AgentSession == "" {
		t.resume(nil)
		return
	}
	t.s.agent.readingTranscript = true
	t.then(readTranscript{run: t.s.record.Run, session: t.s.record.AgentSession, keys: keys})
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
	t.resume(m.inTranscript)
}

// resume marks the inputs that are in the transcript as done and the others as undelivered, then decides what follows.
func (t *transition) resume(known map[string]bool) {
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
	}
	if t.s.record.TurnCanceled && t.s.agent.interrupted {
		t.cancelInterrupted()
	}
	if exit := t.s.agent.exit; exit != nil {
		t.s.agent.exit = nil
		t.follow(*exit)
		return
	}
	t.afterRun()
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

// read looks for the transcript below the agent's configuration directory. One
// that is not there remembers nothing.
func (e readTranscript) read(environment []string) any {
	found := transcriptRead{run: e.run, inTranscript: map[string]bool{}}
	files, err := claude.Transcripts(environment, e.session)
	if err != nil {
		found.err = err
		return found
	}
	for _, path := range files {
		found.found = true
		file, err := regular.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			var known map[string]bool
			known, err = transcript.Find(file, e.keys)
			file.Close()
			for key := range known {
				found.inTranscript[key] = true
			}
		}
		found.err = errors.Join(found.err, err)
	}
	return found
}
