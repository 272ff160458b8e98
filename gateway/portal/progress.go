package portal

import (
	"context"
	"slices"

	"betcode/gateway/portal/wire"
	pb "betcode/proto/betcode/v1"
)

// progress derives the stages of inputs from the events of a session. It is pure.
//
// An input has reached the agent when the agent answers it. The event at the end of a turn names the
// answered inputs, but not for agents under a proxy. Inputs that arrived while no turn ran are answered
// next, so the first output after them shows the same earlier, and for all agents.
type progress struct {
	resting bool     // no turn runs
	next    []string // keys of inputs that the agent answers with its next output
	later   []string // keys of inputs that arrived during a turn
}

// maxProgress bounds the tracked inputs.
const maxProgress = 256

// stage is the stage of an input.
type stage struct{ key, stage, why string }

// event applies an event and returns the new stages of inputs.
func (p *progress) event(e *pb.AgentEvent) (all []stage) {
	switch v := e.GetEvent().(type) {
	case *pb.AgentEvent_UserInput:
		key := v.UserInput.GetIdempotencyKey()
		switch {
		case len(p.next)+len(p.later) >= maxProgress:
		case p.resting:
			p.next = append(p.next, key)
		default:
			p.later = append(p.later, key)
		}
		return []stage{{key, wire.StageServerReceived, ""}}
	case *pb.AgentEvent_TextDelta, *pb.AgentEvent_ToolCallStart, *pb.AgentEvent_PermissionRequest:
		if e.GetParentToolUseId() == "" && e.GetSequence() > 0 {
			p.resting = false
			return p.accepted()
		}
	case *pb.AgentEvent_TurnComplete:
		all = p.accepted()
		answered := v.TurnComplete.GetInputKeys()
		for _, key := range answered {
			all = append(all, stage{key, wire.StageAgentAccepted, ""})
		}
		p.next, p.later = slices.DeleteFunc(p.later, func(key string) bool { return slices.Contains(answered, key) }), nil
	case *pb.AgentEvent_StatusChange:
		p.resting = v.StatusChange.GetStatus() == pb.AgentStatus_IDLE
	case *pb.AgentEvent_Notice:
		if code := v.Notice.GetCode(); code == "INPUT_LOST" || code == "INPUT_DROPPED" {
			return []stage{{v.Notice.GetDetails()["idempotency_key"], wire.StageFailed, v.Notice.GetMessage()}}
		}
	}
	return all
}

// accepted returns the stage "accepted" for the inputs that the agent answers.
func (p *progress) accepted() (all []stage) {
	for _, key := range p.next {
		all = append(all, stage{key, wire.StageAgentAccepted, ""})
	}
	p.next = nil
	return all
}

// stage sends the stage of an input of this page, once.
func (v *view) stage(ctx context.Context, key, stage, why string) {
	v.mu.Lock()
	id, ours := v.inputs[key]
	if stage != wire.StageServerReceived {
		delete(v.inputs, key)
	}
	v.mu.Unlock()
	if !ours {
		return
	}
	m := wire.InputProgress{ClientMsgID: id, Stage: stage}
	if why != "" {
		m.Message = &why
	}
	v.page.send(ctx, m)
}
