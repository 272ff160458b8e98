package grpcapi

import (
	"context"

	"betcode/grpcapi/auth"
	"betcode/grpcapi/handler"
	"betcode/grpcapi/translate"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// GetStartup implements AdminService. The answer contains the daemon's environment, and so secrets.
// It is served over the Unix socket only, so that a leaked token does not give access to them.
func (s adminService) GetStartup(ctx context.Context, _ *pb.GetStartupRequest) (*pb.GetStartupResponse, error) {
	const op = "get startup"
	if p, ok := auth.PeerOf(ctx); !ok || p.Address.IsValid() {
		return nil, messages.Errorf(op, messages.Denied, "the daemon's environment is served over the Unix socket only").
			WithHint("Run the command on the daemon's machine, without --address.")
	}
	return handler.Unary(ctx, s.asker, messages.GetStartup{}, nil, translate.StartupOut)
}
