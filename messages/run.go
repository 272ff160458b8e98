package messages

// The conversation between a session and its run: one incarnation of the agent
// process.

// ProcessStarted says that the agent process of a run is there: spawned, or
// found alive and adopted. Sent by the run.
type ProcessStarted struct {
	command
	Record  RunRecord // identity filled in
	Adopted bool
	Guard   Guard
	Version string // of the agent's program, asked before the process was spawned; empty = not known
}

// RunEnded says that a run is over and that everything its spool held has been
// handed over before. Sent by the run, once.
type RunEnded struct {
	command
	Run       RunNumber
	Exit      Exit
	Complaint string // the end of what the process wrote to its standard error
}

// InputWrittenTo says that the line of an input is in the pipe. Sent by the run.
type InputWrittenTo struct {
	command
	Run RunNumber
	Key string
}

// AnswerWritten says that the answer to a permission request is in the pipe.
// Sent by the run.
type AnswerWritten struct {
	command
	Run     RunNumber
	Request RequestID
}

// Credit returns to the run the right to have that many more batches
// uncommitted. Sent by the session after a commit.
type Credit struct {
	command
	Run       RunNumber
	Batches   int
	Journaled int64 // how far its spool is on disk as events; 0 = no news
}

// GetRawOutput asks for what an agent process has written so far, as it wrote it.
// Give is called with it piece by piece, in order, by the answerer; a piece is
// its own, and an error of its ends the answer. Answered with [Done] behind the last,
// with [NotFound] if there is no such run, or if its record is no longer kept.
type GetRawOutput struct {
	ask
	Session SessionID
	Run     RunNumber // 0 = the newest
	Give    func([]byte) error
}
