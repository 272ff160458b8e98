package document

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/structpb"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

const (
	// MaxText bounds the text of a document in bytes. The rest is not found.
	MaxText = 256 << 10
	// maxOpen bounds the blocks, and the calls, that are open at once.
	maxOpen = 64
)

// Document is a unit of a history that can be found.
type Document struct {
	Seq  messages.Seq // of its first event
	At   time.Time
	Kind messages.SearchKind
	Tool string   // of a call or its result
	Path []string // files and directories that a call names
	Text string
}

// Builder makes documents of the events of one session, in their order. The zero value begins with any event.
type Builder struct {
	blocks []*block // that are not complete, in the order of their first events
	calls  []call   // whose results have not come
}

type block struct {
	id       string
	document Document
	text     strings.Builder
}

type call struct {
	id, tool string
	seq      messages.Seq
}

// Open returns the number of the first event that the next documents need; 0 if they need no earlier one.
func (b *Builder) Open() messages.Seq {
	var first messages.Seq
	for _, block := range b.blocks {
		first = least(first, block.document.Seq)
	}
	for _, call := range b.calls {
		first = least(first, call.seq)
	}
	return first
}

func least(a, b messages.Seq) messages.Seq {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// Add returns the documents that an event completes.
func (b *Builder) Add(seq messages.Seq, e *pb.AgentEvent) []Document {
	d := Document{Seq: seq, At: e.GetTimestamp().AsTime()}
	switch event := e.GetEvent().(type) {
	case *pb.AgentEvent_TextDelta:
		return b.delta(d, event.TextDelta)
	case *pb.AgentEvent_UserInput:
		d.Kind, d.Text = messages.SearchUser, userText(event.UserInput)
		return append(b.Finish(), named(d)...)
	case *pb.AgentEvent_ToolCallStart:
		return b.call(d, event.ToolCallStart)
	case *pb.AgentEvent_ToolCallResult:
		d.Kind, d.Tool, d.Text = messages.SearchResult, b.returned(event.ToolCallResult.GetToolId()), event.ToolCallResult.GetOutput()
		return named(d)
	case *pb.AgentEvent_TurnComplete, *pb.AgentEvent_Run:
		return b.Finish()
	}
	return nil
}

// Finish returns the incomplete blocks, when their turn has ended and no more of them will come.
func (b *Builder) Finish() []Document {
	var all []Document
	for _, block := range b.blocks {
		all = append(all, block.finish()...)
	}
	b.blocks = nil
	return all
}

// delta adds a piece to its block.
func (b *Builder) delta(d Document, piece *pb.TextDelta) []Document {
	at := slices.IndexFunc(b.blocks, func(open *block) bool { return open.id == piece.GetBlockId() })
	if piece.GetWithdrawn() {
		if at >= 0 {
			b.blocks = b.blocks[:at] // with those after it
		}
		return nil
	}
	var done []Document
	if at < 0 {
		if len(b.blocks) == maxOpen {
			done, b.blocks = b.blocks[0].finish(), b.blocks[1:]
		}
		d.Kind = messages.SearchAssistant
		if piece.GetThinking() {
			d.Kind = messages.SearchThinking
		}
		at, b.blocks = len(b.blocks), append(b.blocks, &block{id: piece.GetBlockId(), document: d})
	}
	open := b.blocks[at]
	if text := cmp.Or(piece.GetText(), piece.GetThinkingText()); open.text.Len() < MaxText {
		open.text.WriteString(text)
	}
	if piece.GetIsComplete() {
		b.blocks = slices.Delete(b.blocks, at, at+1)
		done = append(done, open.finish()...)
	}
	return done
}

func (b *block) finish() []Document {
	b.document.Text = b.text.String()
	return named(b.document)
}

// call returns a call as a document, and stores its tool for the result.
func (b *Builder) call(d Document, start *pb.ToolCallStart) []Document {
	if start.GetWithdrawn() {
		b.returned(start.GetToolId())
		return nil
	}
	if len(b.calls) == maxOpen {
		b.calls = b.calls[1:]
	}
	b.calls = append(b.calls, call{start.GetToolId(), start.GetToolName(), d.Seq})
	text := []string{start.GetToolName(), start.GetDescription()}
	d.Kind, d.Tool, d.Path = messages.SearchTool, start.GetToolName(), paths(start.GetInput())
	d.Text = strings.Join(leaves(text, structpb.NewStructValue(start.GetInput())), "\n")
	return named(d)
}

// returned removes a call and returns its tool; empty if it is unknown.
func (b *Builder) returned(id string) (tool string) {
	b.calls = slices.DeleteFunc(b.calls, func(c call) bool {
		if c.id == id {
			tool = c.tool
		}
		return c.id == id
	})
	return tool
}

// named returns a document, cut to its bound, or none if it has no text.
func named(d Document) []Document {
	if d.Text == "" {
		return nil
	}
	d.Text = strings.ToValidUTF8(d.Text[:min(len(d.Text), MaxText)], "")
	return []Document{d}
}

// userText returns the text of a user's input, with the names of its files.
func userText(input *pb.UserInput) string {
	text := input.GetContent()
	for _, file := range input.GetAttachments() {
		text += "\n" + file.GetFilename()
	}
	return text
}

// pathFields are the arguments by which the tools of Claude Code name files and directories.
var pathFields = []string{"file_path", "notebook_path", "path"}

// paths returns the files and directories in the arguments of a call.
func paths(input *structpb.Struct) []string {
	var found []string
	for _, field := range pathFields {
		if path := input.GetFields()[field].GetStringValue(); path != "" && len(path) <= maxPath {
			found = append(found, path)
		}
	}
	return found
}

// maxPath bounds a path that can be found as a path, in bytes.
const maxPath = 4096

// leaves appends the texts inside a value, in the order of their names, up to about the bound of a document.
func leaves(found []string, value *structpb.Value) []string {
	size := 0
	var walk func(*structpb.Value)
	walk = func(v *structpb.Value) {
		if size > MaxText {
			return
		}
		switch kind := v.GetKind().(type) {
		case *structpb.Value_StringValue:
			found, size = append(found, kind.StringValue), size+len(kind.StringValue)
		case *structpb.Value_ListValue:
			for _, item := range kind.ListValue.GetValues() {
				walk(item)
			}
		case *structpb.Value_StructValue:
			fields := kind.StructValue.GetFields()
			for _, name := range slices.Sorted(maps.Keys(fields)) {
				walk(fields[name])
			}
		}
	}
	walk(value)
	return found
}
