package session

import (
	"time"

	"betcode/actors/internal/rules"
	"betcode/actors/run"
	"betcode/actors/session/watchdog"
	"betcode/messages"
)

// agentView is what the session knows of its newest agent process and no later one
// inherits. A new run begins with the zero value; the end of a run clears [agentLife] and
// leaves [agentEnd].
type agentView struct {
	agentLife
	agentEnd
}

// agentLife is what ends with the process.
type agentLife struct {
	up        bool     // the process is known to run
	busy      bool     // the agent reports that it works, where its version reports that
	working   bool     // a turn has begun in this run
	barrier   string   // control request whose answer shows that the pipe has been read
	interrupt string   // control request that interrupts the running turn
	long      []string // keys of inputs that wait for a moment without a turn

	lastActivity     time.Time // last output
	watchdog         watchdog.Watchdog
	yieldTimer       bool        // a timer is set for an agent that waits for a person
	freezeReasons    run.Reasons // why the agent is frozen, as its run reports
	outputUnreadable bool        // the run cannot read its spool

	handover  handover   // rules that the agent was given
	directory *rules.Set // rules of the working directory as this run read them; nil: not read
	modeWish  modeWish   // a mode that the agent was asked to enter

	guard        messages.Guard // which files of the directory the agent obeys
	trustFresh   bool           // the directory was compared with the trusted content, and no message was given since
	trustLooking bool           // it is being compared
	trustSearch  bool           // the next comparison searches below it, too
}

// agentEnd is what decides about what follows the end of the process.
type agentEnd struct {
	ending     endReason // why the session ends the process, where another may follow
	lastFailed bool      // the last result was an error: exit code 1 means nothing
	memoryGone bool      // the agent reported that it does not know the conversation
	idTaken    bool      // the agent reported that the conversation's id is in use
	hung       bool      // the run is ended because the agent does not react

	exit              *messages.Exit // nil where the journal already had the end of the run
	stderr            string         // the end of what the process wrote to standard error
	readingTranscript bool           // the transcript of the ended run is being read
	transcriptMissing bool           // there is no transcript of the conversation
	interrupted       bool           // a turn was interrupted, and nothing has been decided about it
	interruptedInputs []string       // keys of the messages it had begun with that are not in the transcript
}

// announcements is what was announced about the agent, to announce changes only. It outlives runs.
type announcements struct {
	report      uint64 // fingerprint of the agent's newest report on itself
	lastMessage string // id of the agent's message that was counted last
	nextID      string // id under which the conversation begins again, where its own is taken; empty: its own
	exposed     string // why files of the built-in list are in the directory, as the last request about modes found
	trust       string // digest of the untrusted content that people were told about last
}
