package talk

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/status"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/inbox"
	"betcode/cmd/betcode/internal/render"
	pb "betcode/proto/betcode/v1"
)

// chat is the state of a conversation on the terminal. Events and lines go in; requests to send come out.
type chat struct {
	render   *render.Renderer
	style    console.Style
	screen   io.Writer
	inbox    inbox.Queue
	backlog  inbox.Backlog
	terminal console.Terminal
	readOnly bool

	head     uint64 // events up to this sequence are history
	caughtUp bool
	keys     *Keyboard
	asked    string    // id of the request or question shown last
	shown    time.Time // when it was shown
	running  bool      // a turn runs
	pressed  bool      // Ctrl-C was pressed, and nothing has happened since
	unended  string    // lines that ended with a backslash

	unanswered []*sent // messages sent by this chat whose turn is not over
	prompting  bool    // the prompt is on the screen
	refused    int     // exit code of the first message that was refused; 0 = none was
}

// sent is a message that this chat sent.
type sent struct {
	key      string
	accepted bool // its UserInput event came
}

// reaction is the action of the chat after a line or an interrupt.
type reaction struct {
	send  []*pb.AgentRequest
	say   string // a message
	lock  bool   // request the input lock
	leave bool
}

func newChat(w io.Writer, t console.Terminal, head uint64, verbose, readOnly bool) *chat {
	c := &chat{screen: w, terminal: t, head: head, caughtUp: head == 0, readOnly: readOnly, style: console.Style(t.Colour)}
	c.render = render.NewRenderer((*aroundPrompt)(c), c.style, verbose)
	return c
}

// aroundPrompt writes to the screen of a chat below the prompt, which is shown again later with the unfinished line behind it.
type aroundPrompt chat

// Write implements io.Writer.
func (a *aroundPrompt) Write(p []byte) (int, error) {
	(*chat)(a).hidePrompt()
	return a.screen.Write(p)
}

// said records that this chat sent a message.
func (c *chat) said(key string) {
	c.render.Typed(key)
	c.unanswered = append(c.unanswered, &sent{key: key})
}

// wantsLine reports whether the next line may be read. A person may type at any time. Lines of a file or a pipe are read one
// by one, when the turn is over or a request waits, so that each is an answer or a message as its author meant.
func (c *chat) wantsLine() bool {
	if c.terminal.In {
		return true
	}
	return c.caughtUp && (c.inbox.Head() != nil || !c.running && len(c.unanswered) == 0)
}

// end returns the error with which the chat ends. A person has seen a refusal and may have sent the message again; a script
// gets an exit code.
func (c *chat) end() error {
	if c.terminal.In || c.refused == 0 {
		return nil
	}
	return exit.Silent(c.refused)
}

// removeUnanswered removes messages that were answered or refused.
func (c *chat) removeUnanswered(which func(*sent) bool) {
	c.unanswered = slices.DeleteFunc(c.unanswered, which)
}

func (c *chat) begin() {
	if c.terminal.Out && !c.readOnly {
		c.render.Line("%s", c.style.Dim("/help shows what you can type, Ctrl-C interrupts, /quit leaves."))
	}
	c.showPrompt()
}

// event shows an event. Requests are shown as prompts after the history, because most of them were answered long ago.
func (c *chat) event(e *pb.AgentEvent) {
	c.inbox.Event(e)
	c.render.Event(e)
	for _, line := range c.backlog.Event(e) {
		if c.caughtUp {
			c.render.Line("%s", c.style.Dim(line))
		}
	}
	switch event := e.GetEvent().(type) {
	case *pb.AgentEvent_StatusChange:
		was := c.running
		c.running = event.StatusChange.GetStatus() != pb.AgentStatus_IDLE && event.StatusChange.GetStatus() != pb.AgentStatus_ERROR
		c.pressed = c.pressed && was == c.running
		if !c.running { // also ends messages without a turn of their own
			c.removeUnanswered(func(m *sent) bool { return m.accepted })
		}
	case *pb.AgentEvent_TurnComplete:
		c.running, c.pressed = false, false
		keys := event.TurnComplete.GetInputKeys()
		c.removeUnanswered(func(m *sent) bool { return slices.Contains(keys, m.key) })
	case *pb.AgentEvent_UserInput:
		for _, m := range c.unanswered {
			m.accepted = m.accepted || m.key == event.UserInput.GetIdempotencyKey()
		}
	case *pb.AgentEvent_Error:
		c.removeUnanswered(func(m *sent) bool {
			is := m.key == event.Error.GetDetails()["idempotency_key"]
			if is && !m.accepted {
				c.refused = cmp.Or(c.refused, eventExits[event.Error.GetCode()], exit.Failed)
			}
			return is
		})
	}
	// The daemon sends open requests again after the history.
	replay := e.GetSequence() == 0 && (e.GetPermissionRequest() != nil || e.GetUserQuestion() != nil)
	if !c.caughtUp && (e.GetSequence() >= c.head || replay) {
		c.caughtUp = true
		if line := c.backlog.Behind(); line != "" {
			c.render.Line("%s", c.style.Dim(line))
		}
	}
	c.showPrompt()
}

// showPrompt shows the request that waits, once, or the prompt for a message.
func (c *chat) showPrompt() {
	if !c.caughtUp {
		return
	}
	if w := c.inbox.Head(); w != nil {
		if c.asked != w.Key() {
			c.asked, c.shown = w.Key(), time.Now()
			c.render.EndLine()
			fmt.Fprint((*aroundPrompt)(c), w.Text(c.style, time.Now(), !c.readOnly))
		}
		return
	}
	c.asked = ""
	if c.terminal.In && c.terminal.Out && !c.readOnly && !c.running && !c.render.MidLine() && !c.prompting {
		c.keys.redraw(c.screen, c.style.Bold("> "))
		c.prompting = true
	}
}

func (c *chat) hidePrompt() {
	if c.prompting {
		fmt.Fprintln(c.screen) // a screen reader has no use for a cursor that moves back
		c.prompting = false
	}
}

func (c *chat) tell(format string, args ...any) {
	c.render.Line(format, args...)
	c.showPrompt()
}

// interrupt handles Ctrl-C: the first interrupts the turn, the second leaves.
func (c *chat) interrupt() reaction {
	if c.pressed || c.readOnly {
		return reaction{leave: true}
	}
	c.pressed = true
	if !c.running {
		c.tell("%s", c.style.Dim("Ctrl-C again to leave; the session goes on."))
		return reaction{}
	}
	c.tell("%s", c.style.Dim("interrupting; Ctrl-C again to leave"))
	return reaction{send: []*pb.AgentRequest{cancelRequest()}}
}

// entered takes a line. A line that was not meant as an answer to the waiting request is refused.
func (c *chat) entered(l Line) reaction {
	w := c.inbox.Head()
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

// typed handles a line as a command, an answer or a message.
func (c *chat) typed(line string) reaction {
	c.prompting, c.pressed = false, false // Enter has moved the cursor to a new line
	if more, ok := strings.CutSuffix(line, `\`); ok {
		c.unended += more + "\n"
		return reaction{}
	}
	line, c.unended = c.unended+line, ""
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	switch {
	case word == "/quit" || word == "/exit" || word == "/back" || word == "/detach":
		return reaction{leave: true}
	case word == "/help":
		c.tell("%s", ChatHelp)
	case c.readOnly:
		c.tell("%s", c.style.Dim("You are only watching. /quit leaves."))
	case word == "/lock":
		return reaction{lock: true}
	case word == "/release":
		return reaction{send: []*pb.AgentRequest{lockAction(pb.LockAction_LOCK_ACTION_RELEASE)}}
	case word == "/refuse":
		return reaction{send: []*pb.AgentRequest{lockAction(pb.LockAction_LOCK_ACTION_REFUSE)}}
	case word == "/cancel":
		return reaction{send: []*pb.AgentRequest{cancelRequest()}}
	case word == "/model" && rest != "":
		c.tell(ModelAsked, console.Line(rest))
		return reaction{send: []*pb.AgentRequest{settingsRequest(rest, "")}}
	case word == "/mode" && rest != "":
		c.tell(ModeAsked, console.Line(rest))
		return reaction{send: []*pb.AgentRequest{settingsRequest("", rest)}}
	case word == "/model" || word == "/mode":
		c.tell("Name missing: %s NAME", word)
	case word == "/say" && rest != "":
		return reaction{say: rest}
	case c.inbox.Head() != nil && c.caughtUp:
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

// answered takes a line as the answer to the waiting request.
func (c *chat) answered(line string) reaction {
	request, complaint := c.inbox.Answer(line)
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

// lockAnswered shows the answer to a request for the input lock.
func (c *chat) lockAnswered(r *pb.InputLockResponse, err error) {
	switch holder := console.OrNobody(c.render.Name(r.GetPreviousHolder())); {
	case err != nil:
		c.tell("%s %s", c.style.Red("error:"), console.Line(status.Convert(err).Message()))
	case r.GetGranted():
		c.tell("%s", c.style.Dim("You have the input lock."))
	case r.GetRefused():
		c.tell("%s", c.style.Dim(holder+" keeps the input lock. You get it when it is released."))
	default:
		c.tell("%s", c.style.Dim(holder+" has the input lock. You get it when it is released."))
	}
}

func settingsRequest(model, mode string) *pb.AgentRequest {
	return &pb.AgentRequest{Request: &pb.AgentRequest_Settings{Settings: &pb.SessionSettingsChange{Model: model, PermissionMode: mode}}}
}
