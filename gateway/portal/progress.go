package portal

import (
	"context"
	"slices"

	"betcode/gateway/portal/wire"
	pb "betcode/proto/betcode/v1"
)

// progress tells from the events of a session how far its inputs are. It is pure.
//
// The agent has an input when it answers it. The event at the end of a turn names the inputs that it has
// answered; for agents under a proxy it names none. What came while no turn ran is what the agent answers
// next, so the first output after it says the same earlier, and for all agents.
type progress struct {
	resting bool     // no turn runs
	next    []string // keys of inputs that the agent answers with its next output
	later   []string // that came while a turn ran
}

// maxProgress bounds the inputs that are followed.
const maxProgress = 256

// stage is how far an input is.
type stage struct{ key, stage, why string }

// event returns what an event says about inputs.
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

// accepted returns that the agent has what it answers.
func (p *progress) accepted() (all []stage) {
	for _, key := range p.next {
		all = append(all, stage{key, wire.StageAgentAccepted, ""})
	}
	p.next = nil
	return all
}

// stage tells how far an input of this page is, once.
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
