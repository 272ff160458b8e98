package dialog

import (
	"maps"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"betcode/cmd/betcode/internal/chat/editor"
	pb "betcode/proto/betcode/v1"
)

// mode is what the keys of a dialog are for.
type mode uint8

const (
	choosing mode = iota // a key is an answer
	denying              // words for the agent
	editing              // the tool's input
	writing              // an answer in one's own words
)

// Dialog is the request that is on the screen, and how far its answer is.
type Dialog struct {
	request *Request
	always  Always
	why     string // what the daemon's rules say
	mode    mode
	words   editor.Editor // for denying, editing and writing
	field   string        // of the input that is edited; empty: all of it, as JSON
	scroll  int           // rows of the body above the first one shown
	form    form
	trouble string // what is wrong with the last answer
}

// New opens a dialog.
func New(r *Request) *Dialog {
	d := &Dialog{request: r}
	if r.Permission != nil {
		d.always = ReadAlways(r.Permission.GetSuggestions())
	}
	return d
}

// Request returns the request.
func (d *Dialog) Request() *Request { return d.request }

// Explain adds what the daemon says about the rules.
func (d *Dialog) Explain(why string) { d.why = why }

// Typing reports whether the dialog has a text field open, which takes all keys.
func (d *Dialog) Typing() bool { return d.mode != choosing }

// Plan reports whether the request is the approval of a plan.
func (d *Dialog) Plan() bool {
	return d.request.Permission != nil && d.request.Permission.GetToolName() == "ExitPlanMode"
}

// Moves reports whether a key only moves within the dialog, and moves.
func (d *Dialog) Moves(k editor.Key) bool {
	switch k.Name {
	case "pgup":
		d.scroll = max(d.scroll-10, 0)
	case "pgdown":
		d.scroll += 10
	case "up", "down":
		by := map[string]int{"up": -1, "down": 1}[k.Name]
		if len(d.request.Questions) > 0 {
			d.form.move(d.request, by)
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
		return !d.Plan()
	case "a":
		return !d.Plan() && !d.request.Permission.GetNoSessionGrant()
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
		return Decide(id, pb.PermissionDecision_ALLOW_ONCE, "")
	case "a":
		return Decide(id, pb.PermissionDecision_ALLOW_SESSION, "")
	case "r":
		r := Decide(id, pb.PermissionDecision_ALLOW_ONCE, "")
		r.GetPermission().ApplySuggestions = d.always.Indices
		return r
	case "n":
		return Decide(id, pb.PermissionDecision_DENY, "")
	case "x":
		return Decide(id, pb.PermissionDecision_DENY_WITH_INTERRUPT, "")
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

// edit opens the text of a command, or the whole input as JSON.
func (d *Dialog) edit() {
	input := d.request.Permission.GetInput()
	d.field = ""
	if input.GetFields()["command"].GetStringValue() != "" {
		d.field = "command"
		d.open(editing, input.GetFields()["command"].GetStringValue())
		return
	}
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
		return Decide(d.request.ID, pb.PermissionDecision_DENY, text)
	case editing:
		input, err := d.edited()
		if err != nil {
			d.trouble = "not valid: " + err.Error()
			return nil
		}
		r := Decide(d.request.ID, pb.PermissionDecision_ALLOW_WITH_EDIT, "")
		r.GetPermission().UpdatedInput = input
		return r
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

// edited returns the input that the text field describes.
func (d *Dialog) edited() (*structpb.Struct, error) {
	if d.field != "" {
		input := proto.CloneOf(d.request.Permission.GetInput())
		input.Fields = maps.Clone(input.Fields)
		input.Fields[d.field] = structpb.NewStringValue(d.words.Text())
		return input, nil
	}
	input := &structpb.Struct{}
	return input, protojson.Unmarshal([]byte(d.words.Text()), input)
}

// Decide returns an answer to a permission request.
func Decide(request string, decision pb.PermissionDecision, message string) *pb.AgentRequest {
	return &pb.AgentRequest{Request: &pb.AgentRequest_Permission{Permission: &pb.PermissionResponse{
		RequestId: request, Decision: decision, Message: message,
	}}}
}
