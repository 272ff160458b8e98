package run

import (
	"syscall"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/spool"
	"betcode/messages"
)

// What a session tells its run.
type (
	// WriteInput asks for the line of a user message to be written. Answered
	// with messages.InputWrittenTo, InputTooLong or messages.WriteFailed.
	WriteInput struct {
		Key  string
		Line []byte
		Long bool // the session has marked it: write it although it may be torn
	}
	// WriteAnswer asks for the answer to a permission request to be written.
	// Answered with messages.AnswerWritten.
	WriteAnswer struct {
		Request messages.RequestID
		Line    []byte
	}
	// WriteControl asks for a control request to be written. Not answered.
	WriteControl struct{ Line []byte }
	// Interrupt asks for the running turn to be interrupted; id is that of
	// the control request. Followed by InterruptDone when the turn has ended,
	// else the run falls back to SIGINT.
	Interrupt struct{ ID string }
	// InterruptDone says that the turn to be interrupted has ended.
	InterruptDone struct{ ID string }
	// Stop asks for the agent to be ended.
	Stop struct{ How StopKind }
)

// StopKind is how an agent is ended.
type StopKind uint8

const (
	// StopOrderly says end_session first: the turn is closed in the agent's
	// memory and nothing will continue it.
	StopOrderly StopKind = iota
	// StopResumable sends SIGTERM at once: the turn can be continued later.
	StopResumable
	// StopKill sends SIGKILL to everything of it at once.
	StopKill
)

// What a run tells its session, beside the exported messages.
type (
	// Output is a batch of complete lines, translated. The spool was read
	// From one offset to another; the translator's state is that after the batch.
	Output struct {
		Run        messages.RunNumber
		From, To   int64
		Items      []claude.Item
		Translator []byte
	}
	// InputTooLong says that a line does not fit into the pipe.
	InputTooLong struct {
		Run messages.RunNumber
		Key string
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
	// there, or exit says how it ended. Lost says that it could not be told.
	agentOpened struct {
		agent   *agent
		record  messages.RunRecord
		adopted bool
		guard   messages.Guard
		version string // of the program, where it was asked
		exit    *messages.Exit
	}
	Lost        struct{ Err error }
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
	tell       struct{ message any }           // send to the session
)

func (readSpool) Effect()  {}
func (readTail) Effect()   {}
func (writeLine) Effect()  {}
func (signalIt) Effect()   {}
func (killTree) Effect()   {}
func (closeAgent) Effect() {}
func (tell) Effect()       {}

// writing is one line on its way into the pipe, and what it is for.
type writing struct {
	key     string             // of an input
	request messages.RequestID // of an answer
	line    []byte
	long    bool
}
