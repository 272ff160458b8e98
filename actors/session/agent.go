package session

import (
	"slices"
	"time"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/rules"
	"betcode/actors/run"
	"betcode/actors/session/handover"
	"betcode/actors/session/proxied"
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
	up          bool     // the process is known to run
	busy        bool     // the agent reports that it works, where its version reports that
	working     bool     // a turn has begun in this run
	adoptedTurn bool     // and before the session was loaded
	barrier     string   // control request whose answer shows that the pipe has been read
	interrupt   string   // control request that interrupts the running turn
	long        []string // keys of inputs that wait for a moment without a turn

	lastActivity     time.Time // last output
	watchdog         watchdog.Watchdog
	yieldTimer       bool        // a timer is set for an agent that waits for a person
	freezeReasons    run.Reasons // why the agent is frozen, as its run reports
	outputUnreadable bool        // the run cannot read its spool

	handover  handover.Agent // rules that the agent was given
	directory *rules.Set     // rules of the working directory as this run read them; nil: not read
	modeWish  modeWish       // a mode that the agent was asked to enter

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

// Differences between versions of the agent. The version is that of the program when it was started, until the agent reports its
// own. Both are in the session's record, so that the version of an adopted agent is known.

// startedAs notes the version of a program that was started.
func (t *transition) startedAs(m messages.ProcessStarted) {
	if !m.Adopted && m.Version != "" && m.Version != t.s.record.AgentVersion {
		t.change().AgentVersion = m.Version
	}
}

// beginInputs marks the oldest input that the agent has as begun, where the agent does not report with which one its turn begins.
func (t *transition) beginInputs(m claude.TurnStarted) {
	if t.s.can().CommandLifecycle || m.Origin != "" || t.s.proxied() {
		return
	}
	for _, in := range t.s.inputs {
		if in.Run == t.s.record.Run && in.State >= messages.InputWriting && in.State < messages.InputStarted {
			in.State = messages.InputStarted
			t.putInput(in)
			return
		}
	}
}

// answeredBy lists the messages that a turn has answered: those that its result names, and those that were begun, where the agent
// does not report the state of messages. A command without a turn answers the oldest.
func (t *transition) answeredBy(m claude.TurnEnded) []string {
	if t.s.proxied() {
		return proxied.Answered(t.s.inputs, m.LocalCommand)
	}
	if t.s.can().CommandLifecycle || m.Origin != "" {
		return m.Inputs
	}
	answered := slices.Clone(m.Inputs)
	var oldest string
	for _, in := range t.s.inputs {
		switch {
		case in.Run != t.s.record.Run || in.State < messages.InputWriting:
		case in.State >= messages.InputStarted && !slices.Contains(answered, in.Key):
			answered = append(answered, in.Key)
		case oldest == "":
			oldest = in.Key
		}
	}
	if len(answered) == 0 && oldest != "" {
		answered = append(answered, oldest)
	}
	return answered
}

// readComplaint evaluates the standard error of a run that ended, for what the agent reports nowhere else.
func (t *transition) readComplaint(exit messages.Exit) {
	if t.s.run == nil || !exit.Known || exit.Code == 0 {
		return
	}
	c := claude.Complaint(t.s.agent.stderr)
	if t.s.run.Resumed {
		t.s.agent.memoryGone = t.s.agent.memoryGone || c.MemoryGone(t.s.run.AgentSession)
		return
	}
	t.s.agent.idTaken = c.IDTaken(t.s.run.AgentSession)
	t.s.agent.memoryGone = t.s.agent.memoryGone || t.s.forks() && c.MemoryGone(t.s.record.Fork.AgentSession)
}

// forks reports whether the newest run was to fork another conversation.
func (s *state) forks() bool {
	return s.run != nil && !s.run.Resumed && s.record.Fork.AgentSession != ""
}

// notContinuing is a sorted list of versions that do not continue an interrupted turn by themselves.
type notContinuing []string

// continues reports whether a version is believed to continue an interrupted turn by itself.
func (n notContinuing) continues(version string) bool {
	_, stays := slices.BinarySearch(n, version)
	return !stays
}
