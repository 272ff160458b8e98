package transcript

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/render"
	pb "betcode/proto/betcode/v1"
)

// maxBlocks bounds how much of a session is shown.
const maxBlocks = 4000

// Options configure a transcript.
type Options struct {
	Style   console.Style
	Verbose bool   // thinking, subagents and processes too
	Nested  bool   // subagents are shown below the call that started them
	Client  string // id of the client that reads it; empty: it takes no part
}

// Transcript is what a session has said so far.
type Transcript struct {
	options  Options
	blocks   []*block
	notes    bytes.Buffer // what words writes
	words    *render.Renderer
	dropped  bool              // blocks were dropped because there were too many
	taken    kind              // of the last block that Take has returned
	calls    map[string]string // names of the tools of calls without a result, by id
	requests map[string]string // ids of the calls that requests are about, by id of the request
	chosen   *block            // a call; nil: none
	lastCall string            // id of the call that Take has returned last
	sequence uint64            // of the running event
	plan     string            // shown last; the agent reports it several times
	hit      *block            // the hit of a search; nil: none
	hitLine  int               // of its output, from 0; negative: none
	hitRow   int               // of the block, where that line begins
}

// New returns an empty transcript.
func New(o Options) *Transcript {
	t := &Transcript{options: o, calls: map[string]string{}, requests: map[string]string{}}
	t.words = render.NewRenderer(&t.notes, o.Style, o.Verbose)
	t.words.As(o.Client)
	return t
}

// Event takes the next event.
func (t *Transcript) Event(e *pb.AgentEvent) {
	parent := e.GetParentToolUseId()
	if parent != "" && !t.options.Verbose && !t.options.Nested {
		return
	}
	t.sequence = e.GetSequence()
	switch event := e.GetEvent().(type) {
	case *pb.AgentEvent_TextDelta:
		t.text(event.TextDelta, parent)
	case *pb.AgentEvent_ToolCallStart:
		t.call(event.ToolCallStart, parent)
	case *pb.AgentEvent_ToolCallResult:
		t.result(event.ToolCallResult, parent)
	case *pb.AgentEvent_UserInput:
		t.words.Prompted()
		t.append(&block{kind: message, text: event.UserInput.GetContent(), closed: true}, parent)
		for _, file := range event.UserInput.GetAttachments() {
			t.note("  "+t.options.Style.Dim("with "+console.Line(file.GetFilename())+" ("+console.Line(file.GetMimeType())+", "+console.Size(file.GetSize())+")"), parent)
		}
	case *pb.AgentEvent_PlanMode:
		t.words.Event(&pb.AgentEvent{Event: &pb.AgentEvent_PlanMode{PlanMode: &pb.PlanModeChange{Active: event.PlanMode.GetActive()}}})
		t.flushNotes(parent)
		if event.PlanMode.GetActive() && event.PlanMode.GetPlan() == "" {
			t.plan = ""
		}
		if plan := event.PlanMode.GetPlan(); plan != "" && plan != t.plan {
			t.plan = plan
			b := &block{kind: prosaic, closed: true}
			b.prose.add(plan)
			b.prose.finish()
			t.append(b, parent)
		}
	case *pb.AgentEvent_Retraction:
		t.retract(event.Retraction)
	case *pb.AgentEvent_PermissionRequest:
		t.requests[event.PermissionRequest.GetRequestId()] = event.PermissionRequest.GetToolUseId()
	case *pb.AgentEvent_PermissionResolved:
		t.resolved(event.PermissionResolved)
		t.words.Event(&pb.AgentEvent{Sequence: e.GetSequence(), Event: e.GetEvent()})
		t.flushNotes(parent)
	case *pb.AgentEvent_TurnComplete:
		t.closeAll()
		t.words.Event(e)
		t.flushNotes(parent)
	default:
		t.words.Event(&pb.AgentEvent{Sequence: e.GetSequence(), Event: e.GetEvent()}) // of a subagent too
		t.flushNotes(parent)
	}
}

// Line adds a line of the program itself.
func (t *Transcript) Line(text string) { t.note(text, "") }

// text adds a piece of text to its block.
func (t *Transcript) text(d *pb.TextDelta, parent string) {
	if d.GetThinking() && !t.options.Verbose {
		return
	}
	b := t.find(d.GetBlockId(), prosaic)
	if d.GetWithdrawn() {
		t.withdraw(d.GetBlockId())
		return
	}
	text := cmp.Or(d.GetThinkingText(), d.GetText())
	if b != nil && b.closed {
		if text == "" {
			return
		}
		b = nil // another block follows: the text goes on below that
	}
	if b == nil {
		b = &block{kind: prosaic, id: d.GetBlockId(), thinking: d.GetThinking()}
		t.append(b, parent)
	}
	b.prose.add(text)
	t.words.Said(d)
	b.forget()
	if d.GetIsComplete() {
		b.close()
	}
}

// withdraw removes a block and those after it, as far as they are not printed.
func (t *Transcript) withdraw(id string) {
	i := slices.IndexFunc(t.blocks, func(b *block) bool { return id != "" && b.id == id })
	if i < 0 {
		return
	}
	printed := t.blocks[i].printed > 0
	t.blocks = t.blocks[:i]
	if printed || t.taken == prosaic {
		t.note(t.options.Style.Dim("(the agent took this back)"), "")
	}
}

// retract removes finished blocks. Those that were printed are named, because they cannot be removed.
func (t *Transcript) retract(r *pb.Retraction) {
	t.blocks = slices.DeleteFunc(t.blocks, func(b *block) bool {
		return b.printed == 0 && b.id != "" && (slices.Contains(r.GetBlockIds(), b.id) || slices.Contains(r.GetToolIds(), b.id))
	})
	if !t.options.Nested {
		t.note(t.options.Style.Dim("(the agent took back some of the text above)"), "")
	}
}

// append adds a block: below the call that started its subagent, or at the end.
func (t *Transcript) append(b *block, parent string) {
	b.sequence, t.sequence = t.sequence, 0
	at := len(t.blocks)
	if i := slices.IndexFunc(t.blocks, func(o *block) bool { return parent != "" && o.kind == toolCall && o.id == parent }); i >= 0 {
		b.depth = t.blocks[i].depth + 1
		at = i + 1
		for at < len(t.blocks) && t.blocks[at].depth >= b.depth {
			at++
		}
	}
	if at == len(t.blocks) { // earlier blocks do not grow any more
		for _, o := range t.blocks {
			if o.depth == b.depth && !o.closed {
				o.close()
			}
		}
	}
	t.blocks = slices.Insert(t.blocks, at, b)
	if len(t.blocks) > maxBlocks {
		t.blocks, t.dropped = slices.Delete(t.blocks, 0, len(t.blocks)-maxBlocks), true
	}
}

func (t *Transcript) closeAll() {
	for _, b := range t.blocks {
		b.close()
	}
}

// find returns the newest block of a kind with an id.
func (t *Transcript) find(id string, k kind) *block {
	for _, b := range slices.Backward(t.blocks) {
		if id != "" && b.id == id && b.kind == k {
			return b
		}
	}
	return nil
}

func (t *Transcript) note(text, parent string) {
	t.append(&block{kind: note, text: text, closed: true}, parent)
}

// flushNotes takes the output of the renderer of notes.
func (t *Transcript) flushNotes(parent string) {
	t.words.EndLine()
	text := strings.TrimSuffix(t.notes.String(), "\n")
	t.notes.Reset()
	if text != "" {
		t.note(text, parent)
	}
}
