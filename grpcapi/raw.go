package grpcapi

import (
	"google.golang.org/grpc"

	"betcode/grpcapi/handler"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// RawOutput implements AdminService. A slow client delays only its own call.
func (s adminService) RawOutput(r *pb.RawOutputRequest, stream grpc.ServerStreamingServer[pb.RawOutputResponse]) error {
	session, err := s.resolve(stream.Context(), r.GetSessionId())
	if err != nil {
		return err
	}
	_, err = handler.Ask[messages.Done](stream.Context(), s.asker, messages.GetRawOutput{
		Session: session, Run: messages.RunNumber(r.GetRun()),
		Give: func(data []byte) error { return stream.Send(&pb.RawOutputResponse{Data: data}) },
	})
	return err
}
