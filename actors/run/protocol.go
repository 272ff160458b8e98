package run

import (
	"syscall"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/spool"
	"betcode/messages"
)

// Messages of a session to its run.
type (
	// WriteInput writes the line of a user message. The run answers with messages.InputWrittenTo or InputTooLong. If the
	// line cannot be written, messages.RunEnded or StdinClosed follows.
	WriteInput struct {
		Key  string
		Line []byte
		Long bool // write it although it may be torn: the session has marked it
	}
	// WriteAnswer writes the answer to a permission request. The run answers with messages.AnswerWritten.
	WriteAnswer struct {
		Request messages.RequestID
		Line    []byte
	}
	// WriteControl writes a control request. It is not answered.
	WriteControl struct{ Line []byte }
	// Interrupt interrupts the running turn with a control request. The session sends InterruptDone when the turn has ended;
	// without that the run sends SIGINT.
	Interrupt struct{ ID string }
	// InterruptDone reports that the interrupted turn has ended.
	InterruptDone struct{ ID string }
	// Stop ends the agent.
	Stop struct{ How StopKind }
)

// StopKind is how an agent is ended.
type StopKind uint8

// The ways to end an agent.
const (
	// StopOrderly sends end_session first: the turn is closed in the agent's transcript and nothing will continue it.
	StopOrderly StopKind = iota
	// StopResumable sends SIGTERM at once: the turn can be continued later.
	StopResumable
	// StopKill sends SIGKILL to the agent and its children at once.
	StopKill
	// StopTerminate sends SIGTERM at once, and SIGKILL ten seconds later.
	StopTerminate
)

// Messages of a run to its session, besides those of package messages.
type (
	// Output is a batch of complete lines, translated: the bytes of the spool between two offsets, and the state of the
	// translator after them.
	Output struct {
		Run        messages.RunNumber
		From, To   int64
		Items      []claude.Item
		Translator []byte
	}
	// InputTooLong reports that a line does not fit into the pipe.
	InputTooLong struct {
		Run messages.RunNumber
		Key string
	}
)

// Messages to a run that report results of its effects, or events of the operating system.
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
		batch  spool.Batch
		err    error
		stderr string
	}
	// agentOpened is the result of starting or finding the process: it lives, or exit has the reason of its end.
	agentOpened struct {
		agent   *agent
		record  messages.RunRecord
		adopted bool
		guard   messages.Guard
		version string // of the program, if the opening job asked for it
		exit    *messages.Exit
	}
	// Lost reports that the state of the process is unknown. The actor crashes and tries again.
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
	killTree   struct{}                        // the agent and all processes that it left behind
	closeAgent struct{}                        // close descriptors; the agent is not touched
	toSession  struct{ message any }           // send to the session
)

func (readSpool) Effect()  {}
func (readTail) Effect()   {}
func (writeLine) Effect()  {}
func (signalIt) Effect()   {}
func (killTree) Effect()   {}
func (closeAgent) Effect() {}
func (toSession) Effect()  {}

// writing is one line on its way into the pipe, and what it is for.
type writing struct {
	key     string             // of an input
	request messages.RequestID // of an answer
	line    []byte
	long    bool
}
