package talk

import (
	"errors"
	"fmt"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	pb "betcode/proto/betcode/v1"
)

// ModelAsked reports when another model takes effect. Its name is checked only when the agent calls its service.
const ModelAsked = "The model is %s from the next message on. If there is no such model, that message fails; /model NAME takes another."

// ModeAsked reports that a mode was requested; the daemon answers only a refusal.
const ModeAsked = "The permission mode is %s now, unless a refusal follows."

// SettingsChange is a change of settings at the start of a conversation. Later requests wait for its result. The daemon
// answers only a refusal, so a message without content is sent after the change: the daemon refuses that in any case, and
// in order. If its refusal comes first, the settings are changed.
type SettingsChange struct {
	behind string // key of the message after the change; empty: no change is pending
}

// Send sends the change.
func (s *SettingsChange) Send(conv *client.Conversation, changes *pb.SessionSettingsChange) {
	conv.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Settings{Settings: changes}})
	s.behind = conv.SendMessage("")
}

// Pending reports whether the result is not known yet.
func (s *SettingsChange) Pending() bool { return s.behind != "" }

// Take reads an item of the conversation while the change is pending. It reports whether the item was the daemon's answer and the
// settings are changed. An error means that they are not changed, or that it is not known.
func (s *SettingsChange) Take(item client.Item) (changed bool, err error) {
	if item.Outage != nil || item.Lost != nil { // a change is not sent again
		return false, exit.With(exit.Connection, errors.New("the connection to the daemon broke before the settings were changed"))
	}
	f := item.Event.GetError()
	if f == nil || item.Event.GetSequence() != 0 {
		return false, nil
	}
	if f.GetDetails()["idempotency_key"] == s.behind {
		s.behind = ""
		return true, nil
	}
	code, known := eventExits[f.GetCode()]
	if !known {
		code = exit.Failed
	}
	return false, exit.With(code, errors.New("the settings were not changed: "+console.Line(f.GetMessage())))
}

// changing takes an item while the settings are being changed. The prompt follows when they are.
func (r *unattended) changing(item client.Item) error {
	changed, err := r.change.Take(item)
	switch {
	case err != nil:
		return exit.With(exit.Code(err), fmt.Errorf("%w; the prompt was not sent", err))
	case changed && r.turn.interrupted:
		return exit.Silent(exit.Interrupted)
	case changed:
		r.send()
		return nil
	}
	r.turn.last = max(r.turn.last, item.Event.GetSequence())
	return r.out.event(&r.turn, item.Event)
}
