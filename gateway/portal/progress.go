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

// stages has the last stages of the newest inputs, so that a page that repeats one gets its stage again.
type stages struct {
	last map[string]stage // by key
	keys []string         // the oldest first
}

// maxStages bounds the inputs whose stages are stored.
const maxStages = 64

// store stores the last stage of an input.
func (s *stages) store(last stage) {
	if s.last == nil {
		s.last = map[string]stage{}
	}
	if _, known := s.last[last.key]; !known {
		if len(s.keys) == maxStages {
			delete(s.last, s.keys[0])
			s.keys = slices.Delete(s.keys, 0, 1)
		}
		s.keys = append(s.keys, last.key)
	}
	s.last[last.key] = last
}

// track expects the stages of an input with the id of a page. An input that the daemon has already gets its last stage again.
func (v *view) track(ctx context.Context, id wire.UUID) {
	v.mu.Lock()
	before, repeated := v.stages.last[string(id)]
	if goesOn := !repeated || before.stage == wire.StageServerReceived; goesOn && len(v.inputs) < framesAtOnce {
		v.inputs[string(id)] = id
	}
	v.mu.Unlock()
	if repeated {
		v.progressed(ctx, id, before)
	}
}

// stage sends the stage of an input of this page, once.
func (v *view) stage(ctx context.Context, s stage) {
	v.mu.Lock()
	id, ours := v.inputs[s.key]
	if s.stage != wire.StageServerReceived {
		delete(v.inputs, s.key)
	}
	v.mu.Unlock()
	if ours {
		v.progressed(ctx, id, s)
	}
}

func (v *view) progressed(ctx context.Context, id wire.UUID, s stage) {
	m := wire.InputProgress{ClientMsgID: id, Stage: s.stage}
	if s.why != "" {
		m.Message = &s.why
	}
	v.page.send(ctx, m)
}
