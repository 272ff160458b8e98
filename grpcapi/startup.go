package grpcapi

import (
	"context"

	"betcode/grpcapi/door"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// GetStartup implements AdminService. It hands out the daemon's environment, and so its
// secrets: a token that leaks must not be worth as much as an account on the machine.
func (s adminService) GetStartup(ctx context.Context, _ *pb.GetStartupRequest) (*pb.GetStartupResponse, error) {
	const op = "tell how the daemon was started"
	if p, ok := door.PeerOf(ctx); !ok || p.Address.IsValid() {
		return nil, messages.Errorf(op, messages.Denied, "its environment is told over the Unix socket only").
			WithHint("Run the command on the daemon's machine, without --address.")
	}
	startup, err := ask[messages.Startup](ctx, s.asker, messages.GetStartup{})
	if err != nil {
		return nil, err
	}
	return &pb.GetStartupResponse{
		Arguments: bytesOf(startup.Arguments), Environment: bytesOf(startup.Environment),
		Directory: []byte(startup.Directory), ErrorFile: []byte(startup.ErrorFile),
	}, nil
}

func bytesOf(all []string) [][]byte {
	out := make([][]byte, len(all))
	for i, s := range all {
		out[i] = []byte(s)
	}
	return out
}
