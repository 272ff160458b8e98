package fleet

import (
	"errors"
	"io"

	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"betcode/grpcapi/auth"
	"betcode/grpcapi/handler"
	"betcode/grpcapi/translate"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// WatchSubagent implements SubagentService. It sends the history of the subagent's session, with each event translated,
// up to the event that ends the subagent.
func (s subagents) WatchSubagent(r *pb.WatchSubagentRequest, stream grpc.ServerStreamingServer[pb.SubagentEvent]) error {
	const op = "watch subagent"
	if err := stream.SendHeader(metadata.MD{}); err != nil {
		return err
	}
	ctx := stream.Context()
	id, err := subagentIn(op, r.GetSubagentId())
	if err != nil {
		return err
	}
	view, err := handler.Ask[messages.SessionView](ctx, s.patient.Asker, messages.GetSession{Session: id})
	switch from := messages.Seq(r.GetFromSequence()); {
	case messages.KindOf(err) == messages.NotFound && err != nil:
		return messages.NoSubagent(op, id)
	case err != nil:
		return err
	case view.Record.Subagent == nil:
		return messages.NoSubagent(op, id)
	case from > view.Record.Head:
		return translate.WithinHead(op, from, view.Record.Head)
	case view.Record.Subagent.Status.Final() && from >= view.Record.Subagent.EndSeq:
		return nil // the client has the last event
	}
	attach := messages.Attach{
		Session: id, Client: auth.CallOf(ctx).Client, Type: auth.CallOf(ctx).Type, Stream: uuid.NewString(), Observer: true,
		History: messages.HistoryFull, Follow: messages.FollowForever,
	}
	if r.GetFromSequence() > 0 {
		attach.History, attach.From = messages.HistoryFromSequence, messages.Seq(r.GetFromSequence())
	}
	events, _, err := s.patient.Asker.Attach(ctx, attach)
	if err != nil {
		return err
	}
	defer events.Close()
	for {
		select {
		case <-events.Ready():
		case <-s.patient.Draining:
			return handler.ShuttingDown()
		case <-ctx.Done():
			return ctx.Err()
		}
		batch, err := events.Take(ctx)
		for _, e := range batch {
			if e.Seq == 0 {
				continue // not part of the history
			}
			out, ended, err := subagentEventOut(id, e)
			if err != nil {
				return err
			}
			if err := stream.Send(out); err != nil || ended {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return messages.NoSubagent(op, id) // it was deleted
		case err != nil:
			return err
		}
	}
}

// subagentEventOut translates an event of a subagent's session, and reports whether it ends the subagent.
func subagentEventOut(id messages.SessionID, e messages.Event) (*pb.SubagentEvent, bool, error) {
	event := &pb.AgentEvent{}
	if err := proto.Unmarshal(e.Bytes, event); err != nil {
		return nil, false, messages.Errorf("watch subagent", messages.DataLoss, "event %d cannot be read: %w", e.Seq, err)
	}
	out := &pb.SubagentEvent{SubagentId: string(id), Timestamp: event.GetTimestamp(), Sequence: uint64(e.Seq), AgentEvent: event}
	switch e := event.GetEvent().(type) {
	case *pb.AgentEvent_Subagent:
		return out, changeOut(out, e.Subagent, id), nil
	case *pb.AgentEvent_TextDelta:
		if d := e.TextDelta; event.GetParentToolUseId() == "" && !d.GetThinking() && !d.GetWithdrawn() {
			out.Event = &pb.SubagentEvent_Output{Output: &pb.SubagentOutput{Text: d.GetText(), IsComplete: d.GetIsComplete()}}
		}
	case *pb.AgentEvent_ToolCallStart:
		out.Event = &pb.SubagentEvent_ToolUse{ToolUse: &pb.SubagentToolUse{
			ToolId: e.ToolCallStart.GetToolId(), ToolName: e.ToolCallStart.GetToolName(), Description: e.ToolCallStart.GetDescription(),
		}}
	case *pb.AgentEvent_PermissionRequest:
		out.Event = &pb.SubagentEvent_PermissionRequest{PermissionRequest: &pb.SubagentPermissionRequest{
			RequestId: e.PermissionRequest.GetRequestId(), ToolName: e.PermissionRequest.GetToolName(), Description: e.PermissionRequest.GetDescription(),
		}}
	}
	return out, false, nil
}

// changeOut translates the event for the beginning or the end of a subagent, and reports whether it is the end.
func changeOut(out *pb.SubagentEvent, c *pb.SubagentChange, id messages.SessionID) bool {
	switch c.GetStatus() {
	case messages.SubagentCompleted.String():
		out.Event = &pb.SubagentEvent_Completed{Completed: &pb.SubagentCompleted{ExitCode: c.GetExitCode(), ResultSummary: c.GetResultSummary()}}
	case messages.SubagentFailed.String():
		out.Event = &pb.SubagentEvent_Failed{Failed: &pb.SubagentFailed{ExitCode: c.GetExitCode(), ErrorMessage: c.GetResultSummary()}}
	case messages.SubagentCancelled.String():
		out.Event = &pb.SubagentEvent_Cancelled{Cancelled: &pb.SubagentCancelled{Reason: c.GetResultSummary()}}
	default:
		out.Event = &pb.SubagentEvent_Started{Started: &pb.SubagentStarted{SessionId: string(id), Model: c.GetModel()}}
		return false
	}
	return true
}
