package grpcapi

import (
	"context"

	"github.com/google/uuid"

	"betcode/grpcapi/auth"
	"betcode/grpcapi/handler"
	"betcode/grpcapi/translate"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// forks is the namespace for ids of forks, which are derived from the idempotency key so that a
// repeated call finds the session of the first one.
var forks = uuid.MustParse("0b9c2f6e-3a53-4d1c-9d0e-6a7f5b1c8e42")

// ForkSession implements AdminService.
func (s adminService) ForkSession(ctx context.Context, r *pb.ForkSessionRequest) (*pb.ForkSessionResponse, error) {
	session, err := s.resolve(ctx, r.GetSessionId())
	if err != nil {
		return nil, err
	}
	if err := translate.NameIn("fork session", r.GetName()); err != nil {
		return nil, err
	}
	id := uuid.New()
	if key := auth.CallOf(ctx).Key; key != "" {
		id = uuid.NewSHA1(forks, []byte(key))
	}
	m := messages.ForkSession{Session: session, Fork: messages.SessionID(id.String()), Client: auth.CallOf(ctx).Client, Name: r.GetName()}
	return handler.Unary(ctx, s.asker, m, nil, func(a messages.SessionForked) *pb.ForkSessionResponse {
		return &pb.ForkSessionResponse{SessionId: string(a.Session), Origin: translate.ForkOut(a.Origin)}
	})
}
