package portal

import (
	"context"
	"maps"
	"slices"

	"github.com/google/uuid"

	"betcode/gateway/portal/wire"
	"betcode/gateway/refusal"
	pb "betcode/proto/betcode/v1"
)

// refused reports a refusal of the daemon to the page.
func (v *view) refused(ctx context.Context, e *pb.ErrorEvent) {
	why := refusal.Text(e)
	if key := e.GetDetails()["idempotency_key"]; key != "" {
		v.stage(ctx, stage{key, wire.StageFailed, why})
	}
	v.page.send(ctx, wire.ErrorMessage{Message: why})
}

// lost reports that the daemon accepts no more requests of the page, and may not have the unconfirmed ones.
func (v *view) lost(ctx context.Context, why string) {
	v.mu.Lock()
	keys := slices.Sorted(maps.Keys(v.inputs))
	v.mu.Unlock()
	for _, key := range keys {
		v.stage(ctx, stage{key, wire.StageFailed, why})
	}
	v.page.send(ctx, wire.ErrorMessage{Message: why})
}

// refuse reports a refused input to the page.
func (v *view) refuse(ctx context.Context, m wire.ClaudeInput, why string) {
	v.page.send(ctx, wire.ErrorMessage{Message: why})
	if m.ClientMsgID != nil {
		v.page.send(ctx, wire.InputProgress{ClientMsgID: *m.ClientMsgID, Stage: wire.StageFailed, Message: &why})
	}
}

// input sends a prompt. The id from the page is its idempotency key, so a repetition has no effect.
func (v *view) input(ctx context.Context, m wire.ClaudeInput) {
	text := wire.Prompt(m.Content)
	message := &pb.UserMessage{Content: text, IdempotencyKey: uuid.NewString()}
	mode := wire.SendNormal
	if m.SendMode != nil {
		mode = *m.SendMode
	}
	switch {
	case !v.page.caller.may("control"):
		v.refuse(ctx, m, noPermission)
		return
	case mode != wire.SendNormal && mode != wire.SendWiggum:
		v.refuse(ctx, m, "The send mode is not known; it is normal or wiggum")
		return
	case text == "":
		v.refuse(ctx, m, "The message is empty")
		return
	case len(text) > maxInput:
		v.refuse(ctx, m, "The message has more than 3 MiB")
		return
	}
	if mode == wire.SendWiggum {
		message.Repeat = &pb.Repeat{}
	}
	if m.ClientMsgID != nil {
		message.IdempotencyKey = string(*m.ClientMsgID)
		v.track(ctx, *m.ClientMsgID)
	}
	v.requester.send(ctx, &pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: message}})
}

func (v *view) interrupt(ctx context.Context) {
	if !v.page.caller.may("control") {
		v.page.send(ctx, wire.ErrorMessage{Message: noPermission})
		return
	}
	v.requester.send(ctx, &pb.AgentRequest{Request: &pb.AgentRequest_Cancel{Cancel: &pb.CancelRequest{Reason: "interrupt"}}})
}

// stopRepeat ends the repetition of a prompt. The view gets the end as an event.
func (v *view) stopRepeat(ctx context.Context) {
	if !v.page.caller.may("control") {
		v.page.send(ctx, wire.ErrorMessage{Message: noPermission})
		return
	}
	asked, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if err := v.page.account.StopRepeat(asked, v.session); err != nil {
		v.page.send(ctx, wire.ErrorMessage{Message: err.Error()})
	}
}

// answer answers the request that the page shows.
func (v *view) answer(ctx context.Context, m wire.PermissionResponse) {
	if !v.page.caller.may("approve") {
		v.page.send(ctx, wire.ErrorMessage{Message: noPermission})
		return
	}
	v.mu.Lock()
	r, err := v.queue.Decide(m)
	v.mu.Unlock()
	if err != nil {
		v.page.send(ctx, wire.ErrorMessage{Message: err.Error()})
		return
	}
	v.requester.send(ctx, r)
}
