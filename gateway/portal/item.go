package portal

import (
	"sync"

	"betcode/gateway/portal/lines"
	"betcode/gateway/portal/wire"
	pb "betcode/proto/betcode/v1"
)

// item is an event of a session, and the lines that it completes. Pages share it, so it is immutable.
type item struct {
	event *pb.AgentEvent
	lines []*output
	size  int // of the lines, in bytes
}

func newItem(e *pb.AgentEvent, all []lines.Line) *item {
	i := &item{event: e}
	for _, l := range all {
		i.lines = append(i.lines, &output{line: l})
		i.size += len(l.JSON)
	}
	return i
}

// matters reports whether pages need the item: it has lines, or it changes what they show. Most
// events of a session are pieces of text, which pages get as a line when their block ends.
func (i *item) matters() bool {
	switch i.event.GetEvent().(type) {
	case *pb.AgentEvent_PermissionRequest, *pb.AgentEvent_UserQuestion, *pb.AgentEvent_PermissionResolved, *pb.AgentEvent_ToolCallStart,
		*pb.AgentEvent_UserInput, *pb.AgentEvent_TurnComplete:
		return true
	}
	return len(i.lines) > 0
}

// output is a line and its frames, each encoded once.
type output struct {
	line   lines.Line
	frames [wire.G3]struct {
		once  sync.Once
		bytes []byte
		err   error
	}
}

// frame returns the frame of a live line for pages of a dialect.
func (o *output) frame(d wire.Dialect) ([]byte, error) {
	f := &o.frames[d-wire.G1]
	f.once.Do(func() {
		at := naive(o.line.At)
		f.bytes, f.err = wire.Encode(d, wire.ToPage, wire.ClaudeOutput{Content: o.line.JSON, AgentType: "claude", Meta: &wire.Meta{CreatedAt: &at}})
	})
	return f.bytes, f.err
}
