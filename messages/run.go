package messages

// Messages between a session and its run, which is one incarnation of the agent process.

// ProcessStarted reports that the agent process of a run exists: it was spawned, or found
// alive and adopted. Sent by the run.
type ProcessStarted struct {
	command
	Record  RunRecord // identity filled in
	Adopted bool
	Guard   Guard
	Version string // of the agent's program, queried before the process was spawned; empty = not known
}

// RunEnded reports that a run has ended. The run has sent everything in its spool before.
// Sent by the run, once.
type RunEnded struct {
	command
	Run       RunNumber
	Exit      Exit
	Complaint string // the end of what the process wrote to its standard error
}

// InputWrittenTo reports that the line of an input is in the pipe. Sent by the run.
type InputWrittenTo struct {
	command
	Run RunNumber
	Key string
}

// AnswerWritten reports that the answer to a permission request is in the pipe. Sent by the run.
type AnswerWritten struct {
	command
	Run     RunNumber
	Request RequestID
}

// Credit allows the run that many more uncommitted batches. Sent by the session after a commit.
type Credit struct {
	command
	Run       RunNumber
	Batches   int
	Journaled int64 // spool offset up to which events are durable; 0 = unchanged
}

// GetRawOutput asks for the unchanged output of an agent process so far. Give is called
// with each part, in order, and owns it; an error of Give ends the answer. Answered with
// [Done] after the last part, or with [NotFound] if the run is unknown or its output is
// no longer kept.
type GetRawOutput struct {
	ask
	Session SessionID
	Run     RunNumber // 0 = the newest
	Give    func([]byte) error
}
