package chat

import (
	"time"

	"betcode/cmd/betcode/internal/chat/drafts"
	"betcode/cmd/betcode/internal/chat/editor"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

// Messages that [Model.Step] takes.
type (
	// Items has the items of the conversation, in order.
	Items []client.Item
	// Press is a key.
	Press editor.Key
	// Paste is text between the marks of a paste.
	Paste string
	// Resize is the size of the terminal.
	Resize struct{ Width, Height int }
	// Focus reports whether the terminal has the focus.
	Focus bool
	// Opened reports that the conversation is on the screen again, after another page.
	Opened struct{}
	// Printed answers [Print].
	Printed struct{}
	// Explained answers [Explain].
	Explained struct{ Request, Why string }
	// Completed answers [Complete].
	Completed struct {
		Word    string
		Choices []editor.Choice
	}
	// Edited answers [OpenEditor].
	Edited struct {
		Text string
		Err  error
	}
	// Locked answers [RequestLock].
	Locked struct {
		Response *pb.InputLockResponse
		Err      error
	}
	// Tick updates the times on the screen.
	Tick struct{}

	enterDue  struct{ press uint64 } // no key followed Enter
	answerDue struct{ press uint64 } // no key followed an answer
)

// Effect is something that [Model.Step] wants done.
type Effect interface{ effect() }

// Effects.
type (
	// Send sends a request to the daemon.
	Send struct{ Request *pb.AgentRequest }
	// RequestLock asks for the input lock.
	RequestLock struct{}
	// Explain asks why a request is made.
	Explain struct{ Request *pb.PermissionRequest }
	// Complete asks for completions of a word.
	Complete struct{ Word string }
	// Print writes rows above the frame.
	Print struct{ Rows []string }
	// After delivers a message later.
	After struct {
		Wait    time.Duration
		Message any
	}
	// OpenEditor opens the person's editor with a text.
	OpenEditor struct{ Text string }
	// Save keeps the draft.
	Save struct{ Draft drafts.Saved }
	// Remember adds a message to the history of the directory.
	Remember struct{ Text string }
	// Notify draws the person's attention.
	Notify struct{ Text string }
	// Suspend stops the process as Ctrl-Z does.
	Suspend struct{}
	// Leave ends the chat. The session goes on.
	Leave struct{}
)

func (Send) effect()        {}
func (RequestLock) effect() {}
func (Explain) effect()     {}
func (Complete) effect()    {}
func (Print) effect()       {}
func (After) effect()       {}
func (OpenEditor) effect()  {}
func (Save) effect()        {}
func (Remember) effect()    {}
func (Notify) effect()      {}
func (Suspend) effect()     {}
func (Leave) effect()       {}

// Options configure a chat.
type Options struct {
	Style    console.Style
	Verbose  bool   // thinking, subagents and processes too
	ReadOnly bool   // only watch
	TakeLock bool   // ask for the input lock when the stream is attached
	Screen   bool   // it is a view on a screen of its own: nothing is printed above it
	Session  string // id
	Client   string // id by which the daemon knows this client
	Head     uint64 // events up to this sequence are history
	NewKey   func() string
	History  []string     // messages that were sent before in this directory
	Restored drafts.Saved // what an ended terminal left
	Exact    bool         // it left it in this session
}
