package grpcapi

import (
	"context"

	"google.golang.org/protobuf/proto"

	"betcode/grpcapi/wire"
)

// Newer clients may send fields that this daemon does not know. They are kept, as
// protobuf does, counted and logged; they change nothing.

// unknownKey is where health tells how many there were.
const unknownKey = "unknown_fields_received"

// noteUnknown counts the unknown fields of a request.
func (s *Server) noteUnknown(ctx context.Context, v any) {
	m, ok := v.(proto.Message)
	if !ok {
		return
	}
	found := wire.UnknownFields(m)
	if len(found) == 0 {
		return
	}
	s.unknown.Add(int64(len(found)))
	c := callOf(ctx)
	s.log.Debug().Str(fieldTarget, target).Str(fieldSpan, span(c.method)).Str(fieldSession, string(c.session)).
		Strs("fields", found[:min(len(found), 20)]).Msg("request has fields unknown to this daemon")
}
