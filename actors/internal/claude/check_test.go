package claude

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	betcodev1 "betcode/proto/betcode/v1"
)

const maxEvent = 4 << 20

// checker follows the items of one conversation and finds broken promises of doc.go.
type checker struct {
	blocks map[string]bool // open blocks of text
	calls  map[string]bool // open calls
	usage  bool            // a UsageReport waits for its TurnComplete
	turn   bool            // a TurnComplete waits for its TurnEnded
}

func newChecker() *checker {
	return &checker{blocks: map[string]bool{}, calls: map[string]bool{}}
}

func (c *checker) check(items []Item) error {
	for _, i := range items {
		var err error
		switch i := i.(type) {
		case Draft:
			err = c.event(i.Event)
		case TurnEnded:
			if c.turn == i.MemoryGone {
				err = fmt.Errorf("TurnEnded without TurnComplete, or the other way round")
			}
			c.turn = false
		case ToolDone:
			delete(c.calls, i.ID)
		}
		if err != nil {
			return fmt.Errorf("%w: %s", err, render(i))
		}
	}
	return nil
}

func (c *checker) event(e *betcodev1.AgentEvent) error {
	b, err := proto.Marshal(e)
	switch {
	case err != nil:
		return err
	case len(b) > maxEvent:
		return fmt.Errorf("an event of %d bytes", len(b))
	case e.Sequence != 0 || e.SessionId != "" || e.Timestamp == nil:
		return fmt.Errorf("a draft with a sequence or a session, or without a time")
	}
	if err := proto.Unmarshal(b, &betcodev1.AgentEvent{}); err != nil {
		return fmt.Errorf("a client cannot read it: %w", err)
	}
	switch e := e.Event.(type) {
	case *betcodev1.AgentEvent_TextDelta:
		return c.text(e.TextDelta)
	case *betcodev1.AgentEvent_ToolCallStart:
		id, was := e.ToolCallStart.ToolId, c.calls[e.ToolCallStart.ToolId]
		c.calls[id] = true
		if e.ToolCallStart.Withdrawn {
			delete(c.calls, id)
		}
		if was != e.ToolCallStart.Withdrawn {
			return fmt.Errorf("announced twice, or withdrawn without that")
		}
	case *betcodev1.AgentEvent_ToolCallResult:
		delete(c.calls, e.ToolCallResult.ToolId)
	case *betcodev1.AgentEvent_Retraction:
		return c.retraction(e.Retraction)
	case *betcodev1.AgentEvent_Usage:
		c.usage = true
	case *betcodev1.AgentEvent_TurnComplete:
		if !c.usage {
			return fmt.Errorf("TurnComplete without UsageReport")
		}
		c.usage, c.turn = false, true
	case *betcodev1.AgentEvent_StatusChange, *betcodev1.AgentEvent_PermissionRequest,
		*betcodev1.AgentEvent_UserQuestion, *betcodev1.AgentEvent_SessionInfo, *betcodev1.AgentEvent_UserInput:
		return fmt.Errorf("that is for the session to say")
	case *betcodev1.AgentEvent_Raw:
		if len(e.Raw.Line) > maxRaw || e.Raw.Reason == "" {
			return fmt.Errorf("a raw line that is too long or without a reason")
		}
	}
	return nil
}

func (c *checker) text(d *betcodev1.TextDelta) error {
	said := d.Text + d.ThinkingText
	if d.Thinking && d.Text != "" || !d.Thinking && d.ThinkingText != "" {
		return fmt.Errorf("thinking in the text of an answer, or the other way round")
	}
	switch open := c.blocks[d.BlockId]; {
	case d.BlockId == "" || !utf8.ValidString(said):
		return fmt.Errorf("no block, or no UTF-8")
	case d.Withdrawn:
		message, from, _ := splitBlock(d.BlockId)
		for b := range c.blocks {
			if m, n, ok := splitBlock(b); ok && m == message && n >= from {
				delete(c.blocks, b)
			}
		}
	case d.IsComplete:
		delete(c.blocks, d.BlockId)
		if !open && said == "" {
			return fmt.Errorf("the end of a block that is not open")
		}
	case said == "":
		return fmt.Errorf("a delta that says nothing")
	default:
		c.blocks[d.BlockId] = true
	}
	return nil
}

// retraction checks that what is retracted was ended before.
func (c *checker) retraction(r *betcodev1.Retraction) error {
	if len(r.BlockIds)+len(r.ToolIds) == 0 || r.Reason == "" {
		return fmt.Errorf("a retraction of nothing, or without a reason")
	}
	for _, id := range r.BlockIds {
		if c.blocks[id] {
			return fmt.Errorf("block %s is open", id)
		}
	}
	for _, id := range r.ToolIds {
		if c.calls[id] {
			return fmt.Errorf("call %s is open", id)
		}
	}
	return nil
}

func splitBlock(id string) (message string, index int, ok bool) {
	i := strings.LastIndexByte(id, '/')
	index, err := strconv.Atoi(id[i+1:])
	return id[:max(0, i)], index, err == nil
}

// end ends the process and reports what is still open.
func (c *checker) end(s State) error {
	s, items := EndRun(s, time.Unix(0, 0))
	if err := c.check(items); err != nil {
		return err
	}
	if len(c.blocks)+len(c.calls)+s.OpenCalls() > 0 {
		return fmt.Errorf("left open: blocks %v, calls %v, %d carried", c.blocks, c.calls, s.OpenCalls())
	}
	return nil
}
