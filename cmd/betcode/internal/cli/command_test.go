package cli

import (
	"context"
	"strings"
	"testing"

	"google.golang.org/grpc"

	pb "betcode/proto/betcode/v1"
)

// fakeCommands has a few commands, agents and paths.
type fakeCommands struct {
	pb.UnimplementedCommandServiceServer
	asked []string
}

func (f *fakeCommands) GetCommandRegistry(_ context.Context, r *pb.GetCommandRegistryRequest) (*pb.GetCommandRegistryResponse, error) {
	f.asked = append(f.asked, r.GetSessionId())
	return &pb.GetCommandRegistryResponse{Commands: []*pb.CommandEntry{
		{Name: "tree", DisplayName: "/tree", Category: pb.CommandCategory_COMMAND_CATEGORY_SERVICE, Source: "betcode", Description: "the actors"},
		{Name: "compact", DisplayName: "/compact", Category: pb.CommandCategory_COMMAND_CATEGORY_CLAUDE_CODE, Source: "claude"},
	}}, nil
}

func (f *fakeCommands) ListAgents(_ context.Context, r *pb.ListAgentsRequest) (*pb.ListAgentsResponse, error) {
	id := sessionA
	f.asked = append(f.asked, r.GetQuery())
	return &pb.ListAgentsResponse{Agents: []*pb.AgentInfo{
		{Name: "demo", Kind: pb.AgentKind_AGENT_KIND_DAEMON_ORCHESTRATED, Status: pb.CommandAgentStatus_COMMAND_AGENT_STATUS_WORKING, SessionId: &id},
		{Name: "Explore", Kind: pb.AgentKind_AGENT_KIND_CLAUDE_INTERNAL, Status: pb.CommandAgentStatus_COMMAND_AGENT_STATUS_WORKING, SessionId: &id, TaskId: "t", Description: "look"},
		{Name: "Explore", Kind: pb.AgentKind_AGENT_KIND_CLAUDE_INTERNAL, Status: pb.CommandAgentStatus_COMMAND_AGENT_STATUS_IDLE},
	}}, nil
}

func (f *fakeCommands) ListPath(_ context.Context, r *pb.ListPathRequest) (*pb.ListPathResponse, error) {
	f.asked = append(f.asked, r.GetSessionId()+" "+r.GetQuery())
	return &pb.ListPathResponse{Truncated: true, Entries: []*pb.PathEntry{{Path: "src", Kind: pb.PathKind_PATH_KIND_DIRECTORY}, {Path: "a.go", Kind: pb.PathKind_PATH_KIND_FILE, Size: 5}}}, nil
}

func (f *fakeCommands) ExecuteServiceCommand(r *pb.ExecuteServiceCommandRequest, stream grpc.ServerStreamingServer[pb.ServiceCommandOutput]) error {
	f.asked = append(f.asked, r.GetCommand()+" "+strings.Join(r.GetArgs(), ",")+" "+r.GetSessionId())
	code := &pb.ServiceCommandOutput_ExitCode{}
	if len(r.GetArgs()) > 0 {
		code.ExitCode = 5
		if err := stream.Send(&pb.ServiceCommandOutput{Output: &pb.ServiceCommandOutput_StderrLine{StderrLine: "no arguments"}}); err != nil {
			return err
		}
	}
	if err := stream.Send(&pb.ServiceCommandOutput{Output: &pb.ServiceCommandOutput_StdoutLine{StdoutLine: "a\x1bb"}}); err != nil {
		return err
	}
	return stream.Send(&pb.ServiceCommandOutput{Output: code})
}

func TestCommandsCommand(t *testing.T) {
	fake := &fakeCommands{}
	serveFake(t, &fakeDaemon{commands: fake, sessions: exampleSessions("/w")})
	for _, test := range []struct {
		args, out, asked string
		code             int
	}{
		{"list", "/tree\tservice\tbetcode\tthe actors\n/compact\tclaude_code\tclaude\t\n", "", 0},
		{"list demo", "/tree\t", sessionA, 0},
		{"list nobody", "", "", 6},
		{"agents de", "demo\tsession\tworking\t" + sessionA + "\nExplore\tsubagent: look\tworking\t" + sessionA + "\nExplore\tkind of agent\tidle\t\n", "de", 0},
		{"path s --session demo", "src/\tdirectory\t0\t1970-01-01T00:00:00Z\na.go\tfile\t5\t", "demo s", 0},
		{"path", "src/\t", "@last ", 0},
		{"run tree --session x", "a\\x1bb\n", "tree  x", 0},
		{"run tree y z", "a\\x1bb\n", "tree y,z ", 5},
		{"run", "", "", 5},
		{"list --json", "{\n", "", 0},
	} {
		fake.asked = nil
		code, out, stderr := command(t, "", append([]string{"commands"}, strings.Fields(test.args)...)...)
		if code != test.code || !strings.HasPrefix(out, test.out) || (test.asked != "" && (len(fake.asked) != 1 || fake.asked[0] != test.asked)) {
			t.Errorf("%s: exit %d, asked %q\n%q\n%s", test.args, code, fake.asked, out, stderr)
		}
	}
}
