package chat

import (
	"strings"

	"betcode/cmd/betcode/internal/chat/editor"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/inbox"
	"betcode/cmd/betcode/internal/talk"
	pb "betcode/proto/betcode/v1"
)

// MaxMessage is the longest message that the daemon takes.
const MaxMessage = 3 << 20

// Help lists what can be typed in a chat.
const Help = `Enter sends. Alt-Enter, Ctrl-J, or a \ before Enter begins a new line. A paste is one message.

  Up Down   messages you sent before     Ctrl-R  search them
  Tab       complete /commands, @files and @agents
  Ctrl-G    your own editor ($VISUAL)    Ctrl-_  undo       Ctrl-Y  insert what was cut
  Ctrl-C    clear, then interrupt the turn, then leave      Ctrl-D  leave
  Tab       to the request that waits, and back to the editor
  Esc       close what is open: completions, a search, a field, a request

  /cancel        interrupt the turn
  /allow         answer a permission request; also /always and /deny TEXT
  /say TEXT      send a message although something waits for an answer
  /lock          ask for the input lock; only its holder may write
  /release       pass the input lock to the client that waits for it
  /refuse        keep the input lock although another client asks for it
  /model NAME    change the model
  /mode NAME     change the permission mode
  /detach        leave; the session goes on (also /quit)
  /help          show this

Other lines that begin with / are commands of the agent's own, for example /compact.`

// OwnCommands are the commands of the chat itself, for completion.
var OwnCommands = []editor.Choice{
	{Text: "/allow", What: "allow the request that waits"},
	{Text: "/always", What: "allow its tool for the whole session"},
	{Text: "/cancel", What: "interrupt the turn"},
	{Text: "/deny", What: "deny the request, with words"},
	{Text: "/detach", What: "leave; the session goes on"},
	{Text: "/help", What: "keys and commands"},
	{Text: "/lock", What: "ask for the input lock"},
	{Text: "/mode", What: "change the permission mode"},
	{Text: "/model", What: "change the model"},
	{Text: "/quit", What: "leave; the session goes on"},
	{Text: "/refuse", What: "keep the input lock"},
	{Text: "/release", What: "give the input lock up"},
	{Text: "/say", What: "send a message although a request waits"},
}

// enter sends the text in the editor, or performs a command.
func (m *Model) enter() {
	if m.editor.Continue() {
		m.saved = false
		return
	}
	text := m.editor.Text()
	line := strings.TrimSpace(text)
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case line == "":
		return
	case len(text) > MaxMessage:
		m.tell("Not sent: it has more than %s. A file can be attached by its name in the text: @FILE.", console.Size(MaxMessage))
		return
	case m.dialog != nil && len(line) <= 3 && shortAnswer(line):
		m.tell("Not sent, because a request waits: Tab, then the key, answers it; /say %s sends it as a message.", line)
		return
	}
	m.state.pressed = false
	m.history.Add(text)
	m.do(Remember{text})
	m.editor.Reset()
	m.saved = false
	if !m.command(word, rest) {
		m.say(strings.TrimRight(text, "\n"))
	}
}

func shortAnswer(line string) bool {
	switch strings.ToLower(line) {
	case "y", "n", "a", "yes", "no", "ok", "r", "d", "e", "x":
		return true
	}
	return false
}

// command performs a command of the chat. It reports whether the word was one.
func (m *Model) command(word, rest string) bool {
	switch word {
	case "/quit", "/exit", "/detach":
		m.leave()
	case "/help":
		m.transcript.Line(Help)
	case "/lock":
		m.do(RequestLock{})
	case "/release":
		m.do(Send{lockAction(pb.LockAction_LOCK_ACTION_RELEASE)})
	case "/refuse":
		m.do(Send{lockAction(pb.LockAction_LOCK_ACTION_REFUSE)})
	case "/cancel":
		m.do(Send{&pb.AgentRequest{Request: &pb.AgentRequest_Cancel{Cancel: &pb.CancelRequest{}}}})
	case "/model", "/mode":
		if rest == "" {
			m.tell("Name missing: %s NAME", word)
			break
		}
		change := &pb.SessionSettingsChange{}
		if word == "/model" {
			change.Model = rest
			m.tell(talk.ModelAsked, rest)
		} else {
			change.PermissionMode = rest
			m.tell(talk.ModeAsked, rest)
		}
		m.do(Send{&pb.AgentRequest{Request: &pb.AgentRequest_Settings{Settings: change}}})
	case "/say":
		if rest == "" {
			return false
		}
		m.say(rest)
	case "/allow", "/always", "/deny":
		if m.dialog == nil || m.dialog.Request().Permission == nil {
			m.tell("No permission request waits.")
			break
		}
		decision := map[string]pb.PermissionDecision{
			"/allow": pb.PermissionDecision_ALLOW_ONCE, "/always": pb.PermissionDecision_ALLOW_SESSION, "/deny": pb.PermissionDecision_DENY,
		}[word]
		m.send(inbox.Decide(m.dialog.Request().ID, decision, rest))
	default:
		return false
	}
	return true
}

func lockAction(a pb.LockAction) *pb.AgentRequest {
	return &pb.AgentRequest{Request: &pb.AgentRequest_Lock{Lock: &pb.InputLockAction{Action: a}}}
}
