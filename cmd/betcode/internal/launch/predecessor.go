package launch

import (
	"context"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
)

// A daemon is not dumpable: no other process of the user, and so no agent, can trace it, open its descriptors or read its
// environment. A restart asks the daemon over its Unix socket how it was started. Daemons older than that call are
// dumpable, and /proc has the answer.

// predecessor returns how the daemon behind admin, process pid, was started; false if that cannot be determined.
func predecessor(ctx context.Context, admin pb.AdminServiceClient, pid int) (background, bool, error) {
	told, err := admin.GetStartup(ctx, &pb.GetStartupRequest{})
	if status.Code(err) == codes.Unimplemented {
		old, known := seen(pid)
		return old, known, nil
	}
	if err != nil {
		return background{}, false, err
	}
	arguments := stringsOf(told.GetArguments())
	if !isDaemon(arguments) {
		return background{}, false, nil
	}
	return background{
		arguments: arguments[1:], environment: stringsOf(told.GetEnvironment()), directory: string(told.GetDirectory()), log: string(told.GetErrorFile()),
	}, true, nil
}

// isDaemon reports whether a command line is that of 'daemon run'.
func isDaemon(arguments []string) bool {
	return len(arguments) >= 3 && slices.Contains(arguments, "daemon") && slices.Contains(arguments, "run")
}

func stringsOf(all [][]byte) []string {
	out := make([]string, len(all))
	for i, b := range all {
		out[i] = string(b)
	}
	return out
}
