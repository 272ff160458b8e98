package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/status"

	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

// chat is what a conversation on the terminal remembers. Events and what is typed
// go in; what is to be sent comes out.
type chat struct {
	render   *renderer
	screen   io.Writer
	inbox    inbox
	terminal console.Terminal
	readOnly bool

	head     uint64 // what is up to here is history
	caughtUp bool
	keys     *keyboard
	asked    string    // id of what was put to the person last
	shown    time.Time // when
	running  bool      // a turn runs
	pressed  bool      // Ctrl-C, since the last thing that happened
	unended  string    // lines that ended with a backslash

	unanswered []*sent // messages sent from here whose turn is not over
	prompting  bool    // the prompt is on the screen
}

// sent is a message that was sent from here.
type sent struct {
	key      string
	accepted bool // it is in the journal
}

// reaction is what a person's doing leads to.
type reaction struct {
	send  []*pb.AgentRequest
	say   string // a message
	lock  bool   // ask for the input lock
	leave bool
}

func newChat(w io.Writer, t console.Terminal, head uint64, verbose, readOnly bool) *chat {
	c := &chat{screen: w, terminal: t, head: head, caughtUp: head == 0, readOnly: readOnly}
	c.render = &renderer{w: (*aroundPrompt)(c), style: console.Style(t.Colour), verbose: verbose, own: map[string]bool{}}
	return c
}

// aroundPrompt writes to the screen of a chat. What is written takes the place of
// the prompt; what shows nothing leaves it, and what is being typed, alone.
type aroundPrompt chat

// Write implements io.Writer.
func (a *aroundPrompt) Write(p []byte) (int, error) {
	(*chat)(a).hidePrompt()
	return a.screen.Write(p)
}

// said notes that a message was sent from here.
func (c *chat) said(key string) {
	c.render.own[key] = true
	c.unanswered = append(c.unanswered, &sent{key: key})
}

// wantsLine reports whether the next line may be read. A person types when they
// like. Lines of a file or a pipe are read one by one, when the turn is over or
// something waits for an answer, so that they mean what their writer meant.
func (c *chat) wantsLine() bool {
	if c.terminal.In {
		return true
	}
	return c.caughtUp && (c.inbox.head() != nil || !c.running && len(c.unanswered) == 0)
}

// settle forgets messages that were answered, or refused.
func (c *chat) settle(which func(*sent) bool) { c.unanswered = slices.DeleteFunc(c.unanswered, which) }

func (c *chat) begin() {
	if c.terminal.Out && !c.readOnly {
		c.render.line("%s", c.render.style.Dim("/help shows what you can type, Ctrl-C interrupts, /quit leaves."))
	}
	c.showPrompt()
}

// event shows an event. What waits is put to the person when the history has
// been shown: until then it may have been answered long ago.
func (c *chat) event(e *pb.AgentEvent) {
	c.inbox.add(e)
	c.render.event(e)
	switch event := e.GetEvent().(type) {
	case *pb.AgentEvent_StatusChange:
		was := c.running
		c.running = event.StatusChange.GetStatus() != pb.AgentStatus_IDLE && event.StatusChange.GetStatus() != pb.AgentStatus_ERROR
		c.pressed = c.pressed && was == c.running
		if !c.running { // also a message that had no turn of its own
			c.settle(func(m *sent) bool { return m.accepted })
		}
	case *pb.AgentEvent_TurnComplete:
		c.running, c.pressed = false, false
		keys := event.TurnComplete.GetInputKeys()
		c.settle(func(m *sent) bool { return slices.Contains(keys, m.key) })
	case *pb.AgentEvent_UserInput:
		for _, m := range c.unanswered {
			m.accepted = m.accepted || m.key == event.UserInput.GetIdempotencyKey()
		}
	case *pb.AgentEvent_Error:
		c.settle(func(m *sent) bool { return m.key == event.Error.GetDetails()["idempotency_key"] })
	}
	// A prompt that is sent again comes when the history is through.
	replay := e.GetSequence() == 0 && (e.GetPermissionRequest() != nil || e.GetUserQuestion() != nil)
	c.caughtUp = c.caughtUp || e.GetSequence() >= c.head || replay
	c.showPrompt()
}

// showPrompt asks what waits, once, or offers to type.
func (c *chat) showPrompt() {
	if !c.caughtUp {
		return
	}
	if w := c.inbox.head(); w != nil {
		if c.asked != w.id() {
			c.asked, c.shown = w.id(), time.Now()
			c.render.endLine()
			fmt.Fprint(c.render.w, w.text(c.render.style, time.Now(), !c.readOnly))
		}
		return
	}
	c.asked = ""
	if c.terminal.In && c.terminal.Out && !c.readOnly && !c.running && !c.render.midLine && !c.prompting {
		c.keys.redraw(c.screen, c.render.style.Bold("> "))
		c.prompting = true
	}
}

func (c *chat) hidePrompt() {
	if c.prompting {
		fmt.Fprint(c.screen, "\r\x1b[K")
		c.prompting = false
	}
}

func (c *chat) tell(format string, args ...any) {
	c.render.line(format, args...)
	c.showPrompt()
}

// interrupt is Ctrl-C: first the turn, then the conversation.
func (c *chat) interrupt() reaction {
	if c.pressed || c.readOnly {
		return reaction{leave: true}
	}
	c.pressed = true
	if !c.running {
		c.tell("%s", c.render.style.Dim("Ctrl-C again to leave; the session goes on."))
		return reaction{}
	}
	c.tell("%s", c.render.style.Dim("interrupting; Ctrl-C again to leave"))
	return reaction{send: []*pb.AgentRequest{cancelRequest()}}
}

// entered is a line of the person. One that cannot be meant as an answer to what waits
// is not taken as one.
func (c *chat) entered(l line) reaction {
	w := c.inbox.head()
	switch {
	case l.tooLong:
		c.prompting = false
		c.tell("%s", tooLongText())
		return reaction{}
	case w != nil && c.caughtUp && !c.readOnly && !l.deliberate(w, c.shown):
		c.prompting = false
		c.tell("%s", notDeliberate)
		return reaction{}
	}
	return c.typed(l.text)
}

// typed is a line that means what it says.
func (c *chat) typed(line string) reaction {
	c.prompting, c.pressed = false, false // the return key has moved on
	if more, ok := strings.CutSuffix(line, `\`); ok {
		c.unended += more + "\n"
		return reaction{}
	}
	line, c.unended = c.unended+line, ""
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	switch {
	case word == "/quit" || word == "/exit":
		return reaction{leave: true}
	case word == "/help":
		c.tell("%s", chatHelp)
	case c.readOnly:
		c.tell("%s", c.render.style.Dim("You are only watching. /quit leaves."))
	case word == "/lock":
		return reaction{lock: true}
	case word == "/release":
		return reaction{send: []*pb.AgentRequest{lockAction(pb.LockAction_LOCK_ACTION_RELEASE)}}
	case word == "/refuse":
		return reaction{send: []*pb.AgentRequest{lockAction(pb.LockAction_LOCK_ACTION_REFUSE)}}
	case word == "/cancel":
		return reaction{send: []*pb.AgentRequest{cancelRequest()}}
	case word == "/model" && rest != "":
		return reaction{send: []*pb.AgentRequest{settingsChange(rest, "")}}
	case word == "/mode" && rest != "":
		return reaction{send: []*pb.AgentRequest{settingsChange("", rest)}}
	case word == "/model" || word == "/mode":
		c.tell("Give a name: %s NAME", word)
	case word == "/say" && rest != "":
		return reaction{say: rest}
	case c.inbox.head() != nil && c.caughtUp:
		return c.answered(line)
	case word == "/allow" || word == "/always" || word == "/deny":
		c.tell("Nothing waits for an answer.")
	case strings.TrimSpace(line) == "":
		c.showPrompt()
	default:
		return reaction{say: line}
	}
	return reaction{}
}

// answered is a line about what waits.
func (c *chat) answered(line string) reaction {
	request, complaint := c.inbox.answer(line)
	if complaint != "" {
		c.tell("%s", complaint)
	}
	if request == nil {
		return reaction{}
	}
	c.showPrompt()
	return reaction{send: []*pb.AgentRequest{request}}
}

func lockAction(a pb.LockAction) *pb.AgentRequest {
	return &pb.AgentRequest{Request: &pb.AgentRequest_Lock{Lock: &pb.InputLockAction{Action: a}}}
}

// lockAnswered tells what became of the wish for the input lock.
func (c *chat) lockAnswered(r *pb.InputLockResponse, err error) {
	switch holder := console.Line(console.OrNobody(r.GetPreviousHolder())); {
	case err != nil:
		c.tell("%s %s", c.render.style.Red("error:"), console.Line(status.Convert(err).Message()))
	case r.GetGranted():
		c.tell("%s", c.render.style.Dim("You have the input lock."))
	case r.GetRefused():
		c.tell("%s", c.render.style.Dim(holder+" keeps the input lock. You get it when it is given up."))
	default:
		c.tell("%s", c.render.style.Dim(holder+" has the input lock. You get it when it is given up."))
	}
}

func settingsChange(model, mode string) *pb.AgentRequest {
	return &pb.AgentRequest{Request: &pb.AgentRequest_Settings{Settings: &pb.SessionSettingsChange{Model: model, PermissionMode: mode}}}
}
