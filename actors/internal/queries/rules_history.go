package queries

import (
	"context"
	"slices"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/rules"
	"betcode/actors/internal/ruleset"
	"betcode/actors/settings"
	"betcode/messages"
)

// maxOpenCalls bounds how many calls without a result are kept while a history is read. An
// agent has a handful.
const maxOpenCalls = 1024

// testRules decides the calls in a session's history by rules. It does not follow symbolic links,
// which may lead elsewhere by now.
func (q *Queries) testRules(ctx context.Context, m messages.TestRules) (messages.Reply, error) {
	const op = "test rules"
	loaded, err := q.load(op, m.Session)
	if err != nil {
		return nil, err
	}
	now := q.deps.Rules()
	if m.Rules != nil {
		now = ruleset.Read(settings.Rules{Allow: m.Rules.Allow, Ask: m.Rules.Ask, Deny: m.Rules.Deny})
	}
	place := rules.Place{Directory: loaded.Record.WorkingDirectory, Home: q.deps.Home}
	h := callHistory{set: now.Rules.With(q.deps.Directories.Rules(place.Directory)), place: place, found: m.Found}
	for at, head := messages.Seq(0), loaded.Record.Head; at < head; {
		events, err := q.deps.Store.Events(m.Session, at, 0, 0)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, messages.AsError(op, err)
		}
		if len(events) == 0 {
			break // the rest was dropped meanwhile
		}
		for _, e := range events {
			at = e.Seq
			if err := h.take(e); err != nil {
				return nil, messages.AsError(op, err)
			}
		}
	}
	if err := h.reportAll(); err != nil {
		return nil, messages.AsError(op, err)
	}
	tested := messages.RulesTested{Calls: h.calls}
	for _, p := range now.Problems {
		tested.Problems = append(tested.Problems, p.Error())
	}
	return tested, nil
}

// callHistory reads the events of a session and reports each tool call when it has its
// result: its decision, and the verdict of the rules.
type callHistory struct {
	set   *rules.Set
	place rules.Place
	found func(messages.TestedCall) error

	open  []openCall // the oldest first
	calls int
}

type openCall struct {
	id, request string
	tested      messages.TestedCall
}

// take handles the next event.
func (h *callHistory) take(e messages.Event) error {
	var event pb.AgentEvent
	if err := proto.Unmarshal(e.Bytes, &event); err != nil {
		return messages.Errorf("decode event", messages.DataLoss, "event %d: %w", e.Seq, err)
	}
	switch {
	case event.GetToolCallStart() != nil:
		return h.started(e.Seq, event.GetToolCallStart())
	case event.GetPermissionRequest() != nil:
		r := event.GetPermissionRequest()
		h.change(func(c openCall) bool { return c.id == r.GetToolUseId() }, func(c *openCall) {
			c.request, c.tested.Was = r.GetRequestId(), "unanswered"
		})
	case event.GetPermissionResolved() != nil:
		r := event.GetPermissionResolved()
		h.change(func(c openCall) bool { return c.request == r.GetRequestId() }, func(c *openCall) {
			c.tested.Was, c.tested.By = r.GetDecision().String(), r.GetResolvedBy()
		})
	case event.GetToolCallResult() != nil:
		for n, c := range h.open {
			if c.id == event.GetToolCallResult().GetToolId() {
				h.open = slices.Delete(h.open, n, n+1)
				return h.report(c)
			}
		}
	}
	return nil
}

func (h *callHistory) started(seq messages.Seq, start *pb.ToolCallStart) error {
	if start.GetWithdrawn() {
		return nil
	}
	input, err := protojson.Marshal(start.GetInput())
	if err != nil {
		input = nil // the rules report that the call cannot be parsed
	}
	c := openCall{id: start.GetToolId(), tested: messages.TestedCall{
		Seq: seq, Tool: start.GetToolName(), Description: start.GetDescription(), Was: "not asked",
	}}
	v := h.set.Decide(rules.Call{Tool: start.GetToolName(), Input: input, Place: h.place})
	c.tested.Effect = v.Effect.String()
	for _, r := range v.Rules {
		c.tested.Rules = append(c.tested.Rules, r.String())
	}
	h.change(func(known openCall) bool { return known.id == c.id }, func(known *openCall) { known.id = "" }) // shown anew
	h.open = append(h.open, c)
	if len(h.open) <= maxOpenCalls {
		return nil
	}
	oldest := h.open[0]
	h.open = h.open[1:]
	return h.report(oldest)
}

// change changes the newest open call of a kind.
func (h *callHistory) change(is func(openCall) bool, what func(*openCall)) {
	for n := len(h.open) - 1; n >= 0; n-- {
		if is(h.open[n]) {
			what(&h.open[n])
			return
		}
	}
}

func (h *callHistory) report(c openCall) error {
	if c.id == "" {
		return nil
	}
	h.calls++
	return h.found(c.tested)
}

// reportAll reports the calls that never had a result.
func (h *callHistory) reportAll() error {
	for _, c := range h.open {
		if err := h.report(c); err != nil {
			return err
		}
	}
	h.open = nil
	return nil
}
