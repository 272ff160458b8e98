package ending

import (
	"betcode/actors/internal/process"
	"betcode/actors/run"
	"betcode/messages"
)

// Next is what follows the end of a run.
type Next uint8

// What follows.
const (
	Work    Next = iota // the work that is left, if there is any
	Removal             // of the session
	Rest                // the daemon ends: what is left is for the next one
	Stopped             // the callers of a stop are answered, and work that is left is given up
	Blocked             // nothing until a person acts: the session has a condition since the agent ran
	Unable              // the same, because of how the run ended
	Anew                // the conversation is begun again, because the agent has nothing of it
	Crash               // the crash is reported, and work that is left tried again after a backoff
	Retry               // another try after a backoff: the agent exited silently with work pending, and would again
)

// Run is what is known of a run that has ended.
type Run struct {
	Reason     Reason // why the session has ended it
	Exit       messages.Exit
	LastFailed bool // the last result was an error
	Blocked    bool // the session has a condition, and nobody wants a restart
	Unable     bool // the end of the run shows a condition
	FirstLost  bool // the conversation never had a result, and the agent has nothing of it
	Busy       bool // work is left
}

// After decides what follows the end of a run.
func After(r Run) Next {
	switch {
	case r.Reason == Delete:
		return Removal
	case r.Reason == Shutdown:
		return Rest
	case r.Reason == Stop:
		return Stopped
	case r.Blocked:
		return Blocked
	case r.FirstLost:
		return Anew
	case r.Unable:
		return Unable
	case r.Reason != None:
		return Work
	case crashed(r.Exit, r.LastFailed):
		return Crash
	case r.Exit.Reason != run.NeverStarted && r.Busy:
		return Retry
	}
	return Work
}

// crashed reports whether an exit is a crash. An agent whose last turn failed exits with code 1 (wire notes, section 15).
func crashed(exit messages.Exit, lastFailed bool) bool {
	if exit.Reason == run.NeverStarted || exit.Reason == process.LeaseEnded {
		return false
	}
	return !exit.Known || exit.Signal != "" || (exit.Code != 0 && (exit.Code != 1 || !lastFailed))
}

// Fate is what becomes of a turn that was cut off.
type Fate uint8

// The fates.
const (
	Continues Fate = iota // an agent is started, if there is work
	Waits                 // the session waits for a person already
	Over                  // by the policy of the session
	Asks                  // a person decides, by the policy of the session
	TooOften              // a person decides, because it was cut off too often
)

// Turn is what is known of the turn when its agent is gone.
type Turn struct {
	Interrupted bool   // it was cut off, and nothing has been decided about it
	Waits       bool   // the session waits for a person
	Restart     bool   // a person wants the agent started again
	Reason      Reason // why the session has ended the agent

	Policy      messages.ResumePolicy
	Count, Most uint32 // how often it was cut off, and how often one is continued by itself
}

// OfTurn decides what becomes of the turn.
func OfTurn(t Turn) Fate {
	switch {
	case t.Restart:
		return Continues
	case t.Waits:
		return Waits
	case !t.Interrupted || t.Reason == Fleet:
		return Continues
	case t.Policy == messages.ResumeNever:
		return Over
	case t.Policy == messages.ResumeAsk:
		return Asks
	case t.Count > t.Most:
		return TooOften
	}
	return Continues
}
