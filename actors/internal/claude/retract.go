package claude

import (
	"slices"

	betcodev1 "betcode/proto/betcode/v1"
)

// utterance is a finished part of the conversation that a later line may retract. The agent
// identifies it by the uuid of the line that finished it, clients know it as a block or
// as a call.
type utterance struct {
	Line    string `json:"u"`
	Message string `json:"m,omitempty"` // of a block of text
	Index   int    `json:"i,omitempty"`
	Tool    string `json:"t,omitempty"` // of a call, and of its result
}

// uttered records what the line has finished. Only parts of the running turn are
// retracted; turnStarted drops the others.
func (t *translation) uttered(u utterance) {
	if t.l.UUID == "" {
		return
	}
	u.Line = key(t.l.UUID)
	t.s.d.Uttered = with(t.s.d.Uttered, u, maxUttered)
}

// retract drafts a Retraction of what the lines with these uuids have finished. An unknown
// line has been retracted before, or has shown nothing.
func (t *translation) retract(lines []string, reason string) {
	if len(lines) == 0 {
		return
	}
	var kept []utterance
	r := &betcodev1.Retraction{Reason: reason}
	for _, u := range t.s.d.Uttered {
		switch {
		case !slices.ContainsFunc(lines, func(line string) bool { return key(line) == u.Line }):
			kept = append(kept, u)
		case u.Tool == "":
			r.BlockIds = append(r.BlockIds, blockID(u.Message, u.Index))
			t.completeRetracted(u)
		case !slices.Contains(r.ToolIds, u.Tool):
			r.ToolIds = append(r.ToolIds, u.Tool)
		}
	}
	if len(kept) == len(t.s.d.Uttered) {
		return
	}
	t.s.d.Uttered = kept
	t.endCalls("The agent took this call back.", false, func(c call) bool { return slices.Contains(r.ToolIds, c.ID) })
	t.draft(&betcodev1.AgentEvent{Event: &betcodev1.AgentEvent_Retraction{Retraction: r}})
}

// completeRetracted ends a block that is streamed again after its line.
func (t *translation) completeRetracted(u utterance) {
	m := t.s.findMessage(u.Message, "")
	if m < 0 {
		return
	}
	if b := slices.IndexFunc(t.s.d.Messages[m].Blocks, func(b block) bool { return b.Index == u.Index }); b >= 0 {
		t.completeBlock(m, b)
	}
}
