package grpcapi

import (
	"context"

	"betcode/grpcapi/door"
	"betcode/grpcapi/handler"
	"betcode/grpcapi/translate"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// GetStartup implements AdminService. It returns the daemon's environment, and so its
// secrets: a leaked token must not be worth as much as an account on the machine.
func (s adminService) GetStartup(ctx context.Context, _ *pb.GetStartupRequest) (*pb.GetStartupResponse, error) {
	const op = "get startup"
	if p, ok := door.PeerOf(ctx); !ok || p.Address.IsValid() {
		return nil, messages.Errorf(op, messages.Denied, "the daemon's environment is served over the Unix socket only").
			WithHint("Run the command on the daemon's machine, without --address.")
	}
	return handler.Unary(ctx, s.asker, messages.GetStartup{}, nil, translate.StartupOut)
}
