package grpcapi

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"betcode/grpcapi/handler"
	"betcode/grpcapi/translate"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// ExportSession implements AdminService. It sends the journal page by page, up to the head at
// the beginning of the call.
func (s adminService) ExportSession(r *pb.ExportSessionRequest, stream grpc.ServerStreamingServer[pb.AgentEvent]) error {
	if err := stream.SendHeader(metadata.MD{}); err != nil {
		return err
	}
	ctx := stream.Context()
	session, err := s.resolve(ctx, r.GetSessionId())
	if err != nil {
		return err
	}
	view, err := handler.Ask[messages.SessionView](ctx, s.asker, messages.GetSession{Session: session})
	if err != nil {
		return err
	}
	for at := messages.Seq(0); at < view.Record.Head; {
		page, err := handler.Ask[messages.HistoryPage](ctx, s.asker, messages.ReadHistory{Session: session, After: at})
		if err != nil {
			return err
		}
		if page.Gap != nil {
			if err := stream.Send(translate.GapOut(session, page.Gap)); err != nil {
				return err
			}
		}
		if len(page.Events) == 0 { // retention has trimmed the rest, or it cannot be read
			return nil
		}
		for i := range page.Events {
			if at = page.Events[i].Seq; at > view.Record.Head {
				return nil
			}
			if err := stream.SendMsg(&page.Events[i]); err != nil {
				return err
			}
		}
	}
	return nil
}
