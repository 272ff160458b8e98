package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// A daemon is not dumpable: no other process of the user, and so no agent, can trace it,
// open its descriptors or read its environment. Whoever is to follow it asks it how it
// was started, over the Unix socket. Daemons of before that call are dumpable, and looked
// at in /proc.

// startupOf is how this process was started.
func startupOf() messages.Startup {
	directory, _ := os.Getwd() // one that was deleted is none to go on in
	return messages.Startup{Arguments: os.Args, Environment: os.Environ(), Directory: directory, ErrorFile: ownErrorFile()}
}

// getStartup answers [messages.GetStartup]. A daemon whose standard error is no file is
// followed by one that has the usual one.
func (d *daemon) getStartup() messages.Startup {
	startup := d.startup
	startup.ErrorFile = cmp.Or(startup.ErrorFile, filepath.Join(d.cfg.StateDir, logName))
	return startup
}

// predecessor is how the daemon pid, which admin talks to, was started; false if it was
// started in a way we do not know, or cannot be looked at.
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
