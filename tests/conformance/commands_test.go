package conformance

import (
	"errors"
	"io"

	"google.golang.org/grpc/codes"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

var commandStories = []story{{name: "commands", run: commands}}

// commands: the daemon lists the commands of a session, and runs its own.
func commands(s *stage) {
	ctx, api := s.Context(), pb.NewCommandServiceClient(s.daemon.Conn())
	s.write(s.file("src/main.go"), "package main")
	id := session()
	c := s.converse("a", &pb.StartConversation{SessionId: id, WorkingDirectory: s.world.Project, Name: "demo"})
	s.turn(c, 0, "echo:hello")

	registry, err := api.GetCommandRegistry(ctx, &pb.GetCommandRegistryRequest{SessionId: id})
	s.must(err)
	offered := map[string]pb.ExecutionMode{}
	for _, e := range registry.GetCommands() {
		offered[e.GetName()] = e.GetExecutionMode()
	}
	if offered["tree"] != pb.ExecutionMode_EXECUTION_MODE_LOCAL || offered["compact"] != pb.ExecutionMode_EXECUTION_MODE_PASSTHROUGH {
		s.Errorf("registry: %v", registry)
	}
	s.took("GetCommandRegistryRequest", "session_id")

	agents, err := api.ListAgents(ctx, &pb.ListAgentsRequest{Query: "de", MaxResults: 1})
	s.must(err)
	if list := agents.GetAgents(); len(list) != 1 || list[0].GetName() != "demo" || list[0].GetSessionId() != id {
		s.Errorf("agents: %v", agents)
	}
	s.took("ListAgentsRequest", "query", "max_results")

	paths, err := api.ListPath(ctx, &pb.ListPathRequest{Query: "src/", MaxResults: 1})
	s.must(err)
	if list := paths.GetEntries(); len(list) != 1 || list[0].GetPath() != "src/main.go" {
		s.Errorf("paths: %v", paths)
	}
	_, err = api.ListPath(ctx, &pb.ListPathRequest{Query: "../"})
	s.refused(err, codes.InvalidArgument, "not below")
	s.took("ListPathRequest", "query", "max_results")

	run := func(r *pb.ExecuteServiceCommandRequest) (last *pb.ServiceCommandOutput) {
		stream, err := api.ExecuteServiceCommand(ctx, r)
		s.must(err)
		for {
			out, err := stream.Recv()
			if errors.Is(err, io.EOF) {
				return last
			}
			s.must(err)
			last = out
		}
	}
	s.wait(s.ask(id), 0, kit.IsPermission)
	for code, r := range map[int32]*pb.ExecuteServiceCommandRequest{
		0: {Command: "permissions", SessionId: id}, 5: {Command: "tree", Args: []string{"-a"}},
	} {
		if last := run(r); last.GetExitCode() != code {
			s.Errorf("%v: %v", r, last)
		}
	}
	if last := run(&pb.ExecuteServiceCommandRequest{Command: "permissions", SessionId: "nobody"}); last.GetError() == "" {
		s.Errorf("of no session: %v", last)
	}
	s.took("ExecuteServiceCommandRequest", "command", "args", "session_id")
	_, err = api.ListPlugins(ctx, &pb.ListPluginsRequest{})
	s.refused(err, codes.Unimplemented, "no plugins")
}

// ask has a session's agent wait for a person.
func (s *stage) ask(id string) *kit.Stream {
	c := s.converse("a", &pb.StartConversation{SessionId: id})
	s.say(c, "tool:x")
	return c
}
