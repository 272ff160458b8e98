package actors

import (
	"syscall"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/spool"
	"betcode/messages"
)

// What a session tells its run.
type (
	// writeInput asks for the line of a user message to be written. Answered
	// with messages.InputWrittenTo, inputTooLong or messages.WriteFailed.
	writeInput struct {
		key  string
		line []byte
		long bool // the session has marked it: write it although it may be torn
	}
	// writeAnswer asks for the answer to a permission request to be written.
	// Answered with messages.AnswerWritten.
	writeAnswer struct {
		request messages.RequestID
		line    []byte
	}
	// writeControl asks for a control request to be written. Not answered.
	writeControl struct{ line []byte }
	// interruptTurn asks for the running turn to be interrupted; id is that of
	// the control request. Followed by interruptSettled when the turn has ended,
	// else the run falls back to SIGINT.
	interruptTurn struct{ id string }
	// interruptSettled says that the turn to be interrupted has ended.
	interruptSettled struct{ id string }
	// stopAgent asks for the agent to be ended.
	stopAgent struct{ how stopKind }
)

// stopKind is how an agent is ended.
type stopKind uint8

const (
	// stopOrderly says end_session first: the turn is closed in the agent's
	// memory and nothing will continue it.
	stopOrderly stopKind = iota
	// stopResumable sends SIGTERM at once: the turn can be continued later.
	stopResumable
	// stopKill sends SIGKILL to everything of it at once.
	stopKill
)

// What a run tells its session, beside the exported messages.
type (
	// agentOutput is a batch of complete lines, translated. The spool was read
	// from one offset to another; the translator's state is that after the batch.
	agentOutput struct {
		run        messages.RunNumber
		from, to   int64
		items      []claude.Item
		translator []byte
	}
	// inputTooLong says that a line does not fit into the pipe.
	inputTooLong struct {
		run messages.RunNumber
		key string
	}
)

// What the world tells a run: results of its effects.
type (
	agentUp struct {
		record  messages.RunRecord
		adopted bool
		guard   messages.Guard
		version string // of the program; empty = not known
	}
	agentExited struct{ exit messages.Exit }
	spoolGrew   struct{}
	linesRead   struct {
		batch spool.Batch
		size  int64 // of the spool
		err   error
	}
	tailRead struct {
		batch     spool.Batch
		err       error
		complaint string
	}
	// agentOpened is the result of looking for the process or starting it: it is
	// there, or exit says how it ended. agentLost says that it could not be told.
	agentOpened struct {
		agent   *agent
		record  messages.RunRecord
		adopted bool
		guard   messages.Guard
		version string // of the program, where it was asked
		exit    *messages.Exit
	}
	agentLost   struct{ err error }
	lineWritten struct {
		what writing
		err  error
		long bool // did not fit, nothing was written
	}
	stopStage      struct{ n int }
	interruptGrace struct{ id string }
)

// The effects of a run.
type (
	readSpool  struct{}                        // then linesRead
	readTail   struct{}                        // then tailRead
	writeLine  struct{ what writing }          // then lineWritten
	signalIt   struct{ signal syscall.Signal } // by identity, never by bare pid
	killTree   struct{}                        // the agent and whatever it left behind
	closeAgent struct{}                        // give back descriptors; the agent is not touched
)

func (readSpool) effect()  {}
func (readTail) effect()   {}
func (writeLine) effect()  {}
func (signalIt) effect()   {}
func (killTree) effect()   {}
func (closeAgent) effect() {}

// writing is one line on its way into the pipe, and what it is for.
type writing struct {
	key     string             // of an input
	request messages.RequestID // of an answer
	line    []byte
	long    bool
}
