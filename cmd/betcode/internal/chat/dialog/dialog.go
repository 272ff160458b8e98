package dialog

import (
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	"betcode/cmd/betcode/internal/chat/editor"
	"betcode/cmd/betcode/internal/inbox"
	pb "betcode/proto/betcode/v1"
)

// mode determines the meaning of keys in a dialog.
type mode uint8

const (
	choosing mode = iota // a key is an answer
	denying              // words for the agent
	editing              // the tool's input
	writing              // an answer in one's own words
)

// Dialog is the request that is on the screen, and how far its answer is.
type Dialog struct {
	request *inbox.Request
	always  inbox.Rules
	why     string // the decision of the daemon's rules
	mode    mode
	words   editor.Editor // for denying, editing and writing
	field   string        // of the input that is edited; empty: all of it, as JSON
	scroll  int           // rows of the body above the first one shown
	page    int           // rows of the body that were shown last
	follow  bool          // the next view shows the option under the cursor
	form    form
	trouble string // the error of the last answer
}

// New opens a dialog.
func New(r *inbox.Request) *Dialog {
	d := &Dialog{request: r}
	if r.Permission != nil {
		d.always = inbox.ReadAlways(r.Permission.GetSuggestions())
	}
	return d
}

// Request returns the request.
func (d *Dialog) Request() *inbox.Request { return d.request }

// Explain adds the daemon's explanation of the rules.
func (d *Dialog) Explain(why string) { d.why = why }

// Typing reports whether the dialog has a text field open, which takes all keys.
func (d *Dialog) Typing() bool { return d.mode != choosing }

// Plan reports whether the request is the approval of a plan.
func (d *Dialog) Plan() bool { return d.request.Plan() }

// Form reports whether the request is a form with questions, and a key chooses among its answers.
func (d *Dialog) Form() bool { return len(d.request.Questions) > 0 && !d.Typing() }

// Moves reports whether a key only moves within the dialog, and moves.
func (d *Dialog) Moves(k editor.Key) bool {
	switch k.Name {
	case "pgup":
		d.scroll = max(d.scroll-max(d.page, 1), 0)
	case "pgdown":
		d.scroll += max(d.page, 1)
	case "up", "down":
		by := map[string]int{"up": -1, "down": 1}[k.Name]
		if len(d.request.Questions) > 0 {
			d.form.move(d.request, by)
			d.follow = true
		} else {
			d.scroll = max(d.scroll+by, 0)
		}
	default:
		return false
	}
	return true
}

// Answers reports whether a key is one of those that answer, or open a text field.
func (d *Dialog) Answers(k editor.Key) bool {
	if len(d.request.Questions) > 0 {
		return d.form.takes(d.request, k)
	}
	switch k.Name {
	case "y", "n", "d", "x":
		return true
	case "e":
		return !d.Plan() || d.request.Permission.GetInput().GetFields()["plan"].GetStringValue() != ""
	case "a":
		return d.Plan() || !d.request.Permission.GetNoSessionGrant()
	case "r":
		return len(d.always.Indices) > 0
	}
	return false
}

// Answer handles such a key. It returns the request to send; nil if more is needed.
func (d *Dialog) Answer(k editor.Key) *pb.AgentRequest {
	if len(d.request.Questions) > 0 {
		return d.formKey(k)
	}
	id := d.request.ID
	switch k.Name {
	case "y":
		return inbox.Decide(id, pb.PermissionDecision_ALLOW_ONCE, "")
	case "a":
		if d.Plan() {
			return d.request.AcceptEdits()
		}
		return inbox.Decide(id, pb.PermissionDecision_ALLOW_SESSION, "")
	case "r":
		return d.request.Always()
	case "n":
		return inbox.Decide(id, pb.PermissionDecision_DENY, "")
	case "x":
		return inbox.Decide(id, pb.PermissionDecision_DENY_WITH_INTERRUPT, "")
	case "d":
		d.open(denying, "")
	case "e":
		d.edit()
	}
	return nil
}

func (d *Dialog) open(m mode, text string) {
	d.mode, d.trouble, d.words = m, "", editor.Editor{}
	if text != "" {
		d.words.SetText(text)
	}
}

// edit opens the text of a command or a plan, or the whole input as JSON.
func (d *Dialog) edit() {
	input := d.request.Permission.GetInput()
	d.field = "command"
	if d.Plan() {
		d.field = "plan"
	}
	if text := input.GetFields()[d.field].GetStringValue(); text != "" {
		d.open(editing, text)
		return
	}
	d.field = ""
	raw, err := protojson.MarshalOptions{Multiline: true}.Marshal(input)
	if err != nil {
		d.trouble = "the input cannot be edited: " + err.Error()
		return
	}
	d.open(editing, string(raw))
}

// Type handles a key of the open text field. It returns the request to send; nil if more is needed.
func (d *Dialog) Type(k editor.Key) *pb.AgentRequest {
	switch k.Name {
	case "esc", "ctrl+c":
		d.mode, d.trouble = choosing, ""
		return nil
	case "enter":
		if d.words.Continue() {
			return nil
		}
		return d.submit()
	}
	d.words.Key(k)
	return nil
}

// Paste inserts pasted text into the open text field.
func (d *Dialog) Paste(text string) { d.words.Paste(text) }

func (d *Dialog) submit() *pb.AgentRequest {
	text := strings.TrimSpace(d.words.Text())
	switch d.mode {
	case denying:
		return inbox.Decide(d.request.ID, pb.PermissionDecision_DENY, text)
	case editing:
		if d.field != "" {
			return d.request.Edited(d.field, d.words.Text())
		}
		input := &structpb.Struct{}
		if err := protojson.Unmarshal([]byte(d.words.Text()), input); err != nil {
			d.trouble = "not valid: " + err.Error()
			return nil
		}
		return d.request.EditedInput(input)
	case writing:
		if text == "" {
			d.trouble = "Write an answer, or press Esc."
			return nil
		}
		d.mode = choosing
		return d.answered(text)
	case choosing:
	}
	return nil
}
