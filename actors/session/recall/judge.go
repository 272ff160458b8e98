package recall

import "betcode/messages"

// Work is what a session knows of its work.
type Work struct {
	Inputs       []messages.InputRecord
	Turn         bool // a turn runs, as far as the journal knows
	InTranscript bool // messages of that turn were found in the transcript before, after an earlier interruption
	Compacting   bool // the work is a compaction, which is repeated or undone, and never continued
}

// Verdict is what becomes of the work.
type Verdict struct {
	Done        []string               // keys of messages that are part of the conversation
	Undelivered []messages.InputRecord // messages that are given to an agent again, and were not known as such
	Begun       []string               // keys of those among the undelivered that a turn had begun with
	Turn        bool                   // a turn is to be continued
	Interrupted bool                   // a turn was interrupted, whether it is continued or begins anew with its message
	Over        bool                   // that turn has ended in the transcript
}

// Judge decides it.
func Judge(w Work, a Answer) Verdict {
	v := Verdict{Turn: w.Turn && !w.Compacting}
	begun, remembered := false, false
	for _, in := range w.Inputs {
		if in.State == messages.InputStarted && !w.Compacting {
			begun = true
			remembered = remembered || a.Known[in.Key]
		}
	}
	for _, in := range w.Inputs {
		if a.Known[in.Key] && in.State < messages.InputQueued && !w.Compacting {
			v.Turn = true // its turn began unseen, and was interrupted
		}
		// Messages that began a turn together are one record under the last key.
		if a.Known[in.Key] || in.State == messages.InputStarted && remembered {
			v.Done = append(v.Done, in.Key)
			continue
		}
		if in.State >= messages.InputStarted && !w.Compacting {
			v.Begun = append(v.Begun, in.Key)
		}
		if in.State != messages.InputAccepted || in.Run != 0 {
			in.State, in.Run = messages.InputAccepted, 0
			v.Undelivered = append(v.Undelivered, in)
		}
	}
	v.Interrupted = begun || v.Turn
	if begun && !remembered {
		v.Turn = false // it will begin anew, with the message
		return v
	}
	inTranscript := len(v.Done) > 0 || w.InTranscript || len(a.Lacking) > 0
	v.Over = v.Turn && inTranscript && a.End.Reason != ""
	return v
}
