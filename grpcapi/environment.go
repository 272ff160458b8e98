package grpcapi

import (
	"context"

	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// The environment of a client decides which programs the agents of its session find, so
// to send one is to say what runs.

// screenEnvironment checks the environment in the first request of a Converse stream.
// Over TCP it is dropped unless the settings admit it ([TCPOptions].Environment), and
// the client is told if a session begins without it. Elsewhere it needs the right to
// approve.
func (a *admitted) screenEnvironment(start *pb.StartConversation) error {
	if len(start.GetEnvironment()) == 0 {
		return nil
	}
	if p, ok := PeerOf(a.ctx); ok && p.Address.IsValid() && !a.server.options.TCP.Environment {
		start.Environment, a.call.environmentDropped = nil, true
		return nil
	}
	if need := messages.MayControl | messages.MayApprove; !a.call.rights.Has(need) {
		err := wire.AsError(lacking(a.ctx, a.call, need&^a.call.rights))
		return err.WithHint("An environment says which programs an agent finds. Send none, or use a token with the scope approve.")
	}
	return nil
}

// environmentNotice tells the client of a new session that its environment was dropped,
// nil if it was not. It is not journaled: its sequence is 0.
func (s *Server) environmentNotice(ctx context.Context, session messages.SessionID) *pb.AgentEvent {
	c := callOf(ctx)
	if !c.environmentDropped {
		return nil
	}
	s.log.Info().Str(fieldTarget, target).Str(fieldSpan, span(c.method)).Str(fieldSession, string(session)).
		Str(fieldClient, string(c.client)).Str(fieldToken, c.token).Msg("environment of a client over TCP ignored")
	return &pb.AgentEvent{
		Timestamp: timestamppb.Now(), SessionId: string(session),
		Event: &pb.AgentEvent_Notice{Notice: &pb.Notice{
			Code:    "ENVIRONMENT_IGNORED",
			Message: "Your environment was not used: this daemon takes none over TCP. Set daemon.listen_environment to change that.",
		}},
	}
}

// observes reports whether a caller is attached as an observer: by its own wish, or
// because it may not type and so must not hold the input lock.
func (c *call) observes(wish bool) bool { return wish || !c.rights.Has(messages.MayControl) }
