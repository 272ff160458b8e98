package grpcapi

import (
	"context"

	"google.golang.org/protobuf/proto"

	"betcode/messages"
)

// frame shows at trace that a message was received or sent: which, and how long it is,
// and nothing of what it says.
func (s *Server) frame(ctx context.Context, direction string, m any) {
	e := s.log.Trace()
	if !e.Enabled() {
		return
	}
	c := callOf(ctx)
	e = e.Str(fieldTarget, target).Str(fieldSpan, span(c.method)).Str(fieldSession, string(c.session)).
		Str(fieldClient, string(c.client)).Str("direction", direction)
	switch m := m.(type) {
	case *messages.Event:
		e = e.Str("type", "AgentEvent").Uint64("sequence", uint64(m.Seq)).Int("bytes", len(m.Bytes))
	case proto.Message:
		e = e.Str("type", string(m.ProtoReflect().Descriptor().Name())).Int("bytes", proto.Size(m))
	}
	e.Msg("frame")
}
