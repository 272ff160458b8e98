package main

import (
	"errors"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	pb "betcode/proto/betcode/v1"
)

// A run that changes settings of its session sends its prompt when they are changed, and
// never if they are refused. Only a refusal is answered, so a message without content goes
// behind the change: the daemon refuses that in any case, and says so in order.

// change sends a change of settings. The prompt waits for what becomes of it.
func (r *unattended) change(request *pb.AgentRequest) {
	r.conv.Send(request)
	r.behind = r.conv.Say("")
}

// changing takes what happens until the settings are changed.
func (r *unattended) changing(item client.Item) error {
	switch {
	case item.Outage != nil || item.Lost != nil: // a change is not sent again
		return exit.With(exit.Connection, errors.New("the connection to the daemon broke before the settings were changed; the prompt was not sent"))
	case item.Event.GetError() != nil && item.Event.GetSequence() == 0:
		return r.refusal(item.Event.GetError())
	}
	r.turn.last = max(r.turn.last, item.Event.GetSequence())
	return r.out.event(item.Event)
}

// refusal tells the refusal of the change from that of the message behind it.
func (r *unattended) refusal(f *pb.ErrorEvent) error {
	switch {
	case f.GetDetails()["idempotency_key"] != r.behind:
		code, known := eventExits[f.GetCode()]
		if !known {
			code = exit.Failed
		}
		return exit.With(code, errors.New("the settings were not changed, and the prompt was not sent: "+console.Line(f.GetMessage())))
	case r.turn.interrupted:
		return exit.Silent(exit.Interrupted)
	}
	r.behind, r.turn.key = "", r.conv.Say(r.prompt)
	return nil
}
