package grpcapi

import (
	"context"

	"github.com/rs/zerolog"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/grpcapi/auth"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// environmentNotice returns the notice that the environment of a client was dropped, or nil if it
// was not. The notice is not journaled: its sequence is 0.
func (s *Server) environmentNotice(ctx context.Context, session messages.SessionID) *pb.AgentEvent {
	c := auth.CallOf(ctx)
	if !c.EnvironmentDropped {
		return nil
	}
	s.interceptor.Log(ctx, zerolog.InfoLevel).Msg("environment of a client over TCP ignored")
	return &pb.AgentEvent{
		Timestamp: timestamppb.Now(), SessionId: string(session),
		Event: &pb.AgentEvent_Notice{Notice: &pb.Notice{
			Code:    "ENVIRONMENT_IGNORED",
			Message: "Your environment was not used: this daemon accepts none over TCP. Set daemon.listen_environment to change that.",
		}},
	}
}
