package grpcapi

import (
	"context"
	"strings"

	"google.golang.org/grpc"

	"betcode/messages"
)

// viewing lists what a caller may do who may only view; a name that ends in a
// slash stands for a whole service. Whatever is not here is refused, so an RPC
// added later is, until somebody has thought about it (TestEveryCallIsJudged).
var viewing = map[string]bool{
	"/betcode.v1.AgentService/ListSessions":            true,
	"/betcode.v1.AgentService/ResumeSession":           true,
	"/betcode.v1.AgentService/ListSessionGrants":       true,
	"/betcode.v1.AdminService/GetTree":                 true,
	"/betcode.v1.AdminService/ListPermissions":         true,
	"/betcode.v1.AdminService/ExplainPermission":       true,
	"/betcode.v1.AdminService/TestRules":               true,
	"/betcode.v1.AdminService/ShowSession":             true,
	"/betcode.v1.AdminService/Resolve":                 true,
	"/betcode.v1.AdminService/ExportSession":           true,
	"/betcode.v1.AdminService/RawOutput":               true,
	"/betcode.v1.AdminService/JournalStats":            true,
	"/betcode.v1.AdminService/VerifyJournal":           true,
	"/betcode.v1.VersionService/GetVersion":            true,
	"/betcode.v1.VersionService/NegotiateCapabilities": true,
	"/betcode.v1.BetCodeHealth/GetHealthDetails":       true,
	"/betcode.v1.MachineService/":                      true, // to switch to one's own machine changes nothing
	"/betcode.v1.Health/":                              true,
	"/grpc.health.v1.Health/":                          true,
	"/grpc.reflection.v1.ServerReflection/":            true,
	"/grpc.reflection.v1alpha.ServerReflection/":       true,
	"/grpc.channelz.v1.Channelz/":                      true,
}

// views says whether a method, as gRPC names it, changes nothing.
func views(method string) bool {
	return viewing[method] || viewing[method[:strings.LastIndexByte(method, '/')+1]]
}

// restriction is why a caller may only view.
type restriction uint8

const (
	unrestricted restriction = iota
	belowAgent               // it is an agent, or descends from one
	unknown                  // it could not be told
)

// judge asks who a caller descends from. It is asked once per connection, when the
// caller has hardly had the time to become somebody else.
func (c unixCredentials) judge(pid int, caller witness) restriction {
	if c.restricted == nil {
		return unrestricted
	}
	below, err := c.restricted(pid)
	if err == nil {
		err = caller.there() // so it was the caller that was looked at, and not the next process with its pid
	}
	switch {
	case err != nil:
		c.log.Warn().Str(fieldTarget, target).Str(fieldSpan, "grpc/connect").Int("pid", pid).Err(err).
			Msg("caller may only view: nobody knows what started it")
		return unknown
	case below:
		c.log.Info().Str(fieldTarget, target).Str(fieldSpan, "grpc/connect").Int("pid", pid).
			Msg("caller may only view: it descends from an agent")
		return belowAgent
	}
	return unrestricted
}

// allow refuses everything but viewing to whoever may only view.
func allow(ctx context.Context, method string) error {
	const op = "admit call"
	p, ok := PeerOf(ctx)
	if !ok || p.restriction == unrestricted || views(method) {
		return nil
	}
	if p.restriction == belowAgent {
		return messages.Errorf(op, messages.Denied, "this process was started by an agent, and agents may only view").
			WithHint("What agents do is decided by people: run the command in a terminal that no agent started.")
	}
	return messages.Errorf(op, messages.Denied, "it cannot be told whether an agent started this process, so it may only view").
		WithHint("Run the command on the daemon's machine, outside containers; the daemon's log says why it could not be told.")
}

func allowUnary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if err := allow(ctx, info.FullMethod); err != nil {
		return nil, err
	}
	return next(ctx, req)
}

func allowStream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	if err := allow(stream.Context(), info.FullMethod); err != nil {
		return err
	}
	return next(srv, stream)
}
