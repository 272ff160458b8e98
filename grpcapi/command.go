package grpcapi

import (
	"context"
	"slices"
	"strings"

	"google.golang.org/grpc"

	"betcode/grpcapi/handler"
	"betcode/grpcapi/translate"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// commandService is CommandService: completions for a person who types, and the daemon's own
// commands (command_run.go).
type commandService struct {
	pb.UnimplementedCommandServiceServer
	server *Server
}

// The number of completions by default and at most.
const (
	defaultCompletions = 50
	maxCompletions     = 1000
)

// agentSessions is the number of sessions whose agents are listed. Of these, the newest
// agentMemories also list their kinds of agents.
const (
	agentSessions = 200
	agentMemories = 10
)

// GetCommandRegistry implements CommandService.
func (s commandService) GetCommandRegistry(ctx context.Context, r *pb.GetCommandRegistryRequest) (*pb.GetCommandRegistryResponse, error) {
	out := &pb.GetCommandRegistryResponse{Commands: serviceEntries()}
	if r.GetSessionId() == "" {
		return out, nil
	}
	session, err := translate.SessionIn("get command registry", r.GetSessionId())
	if err != nil {
		return nil, err
	}
	abilities, err := handler.Ask[messages.Abilities](ctx, s.server.asker, messages.GetAbilities{Session: session})
	if err != nil {
		return nil, err
	}
	out.Commands = append(out.Commands, translate.CommandsOut(abilities)...)
	return out, nil
}

// ListAgents implements CommandService.
func (s commandService) ListAgents(ctx context.Context, r *pb.ListAgentsRequest) (*pb.ListAgentsResponse, error) {
	sessions, err := handler.Ask[messages.SessionList](ctx, s.server.asker, messages.ListSessions{Limit: agentSessions})
	if err != nil {
		return nil, err
	}
	if r.GetSessionId() != "" {
		one, err := handler.Ask[messages.SessionResolved](ctx, s.server.asker, messages.ResolveSession{Reference: r.GetSessionId()})
		if err != nil {
			return nil, err
		}
		sessions.Sessions = slices.DeleteFunc(slices.Clone(sessions.Sessions), func(r messages.SessionRecord) bool { return r.ID != one.Session })
	}
	var agents []*pb.AgentInfo
	for _, record := range sessions.Sessions {
		agents = append(agents, translate.SessionAgentOut(record))
	}
	slices.SortStableFunc(agents, func(a, b *pb.AgentInfo) int { return rank(a) - rank(b) })
	for _, record := range sessions.Sessions {
		if record.Phase != messages.PhaseActive {
			continue // subagents run in active sessions only
		}
		running, err := handler.Ask[messages.Subagents](ctx, s.server.asker, messages.GetSubagents{Session: record.ID})
		if err != nil {
			return nil, err
		}
		for _, subagent := range running.Subagents {
			agents = append(agents, translate.SubagentOut(subagent, record.ID))
		}
	}
	known := map[string]bool{}
	for _, record := range sessions.Sessions[:min(agentMemories, len(sessions.Sessions))] {
		abilities, err := handler.Ask[messages.Abilities](ctx, s.server.asker, messages.GetAbilities{Session: record.ID, StoredOnly: true})
		if err != nil {
			return nil, err
		}
		for _, kind := range abilities.Agents {
			if !known[kind.Name] {
				known[kind.Name] = true
				agents = append(agents, translate.AgentTypeOut(kind, record.ID))
			}
		}
	}
	query := strings.ToLower(strings.TrimPrefix(r.GetQuery(), "@"))
	agents = slices.DeleteFunc(agents, func(a *pb.AgentInfo) bool { return !strings.HasPrefix(strings.ToLower(a.GetName()), query) })
	return &pb.ListAgentsResponse{Agents: agents[:min(len(agents), completions(r.GetMaxResults()))]}, nil
}

// rank sorts working agents before idle ones.
func rank(a *pb.AgentInfo) int {
	if a.GetStatus() == pb.CommandAgentStatus_COMMAND_AGENT_STATUS_WORKING {
		return 0
	}
	return 1
}

// ListPath implements CommandService.
func (s commandService) ListPath(ctx context.Context, r *pb.ListPathRequest) (*pb.ListPathResponse, error) {
	const op = "list path"
	if len(r.GetQuery()) > translate.MaxPathBytes {
		return nil, wire.Invalid(op, "Shorten it.", "the query has %d bytes, the limit is %d", len(r.GetQuery()), translate.MaxPathBytes)
	}
	ref := r.GetSessionId()
	if ref == "" {
		ref = "@last"
	}
	resolved, err := handler.Ask[messages.SessionResolved](ctx, s.server.asker, messages.ResolveSession{Reference: ref})
	if err != nil {
		return nil, err
	}
	return handler.Unary(ctx, s.server.asker, messages.ListPath{
		Session: resolved.Session, Query: r.GetQuery(), Limit: completions(r.GetMaxResults()),
	}, nil, translate.PathsOut)
}

func completions(wanted uint32) int {
	if wanted == 0 {
		return defaultCompletions
	}
	return int(min(wanted, maxCompletions))
}

// ExecuteServiceCommand implements CommandService.
func (s commandService) ExecuteServiceCommand(r *pb.ExecuteServiceCommandRequest, stream grpc.ServerStreamingServer[pb.ServiceCommandOutput]) error {
	return s.run(stream.Context(), r, stream.Send)
}

// ListPlugins implements CommandService.
func (commandService) ListPlugins(context.Context, *pb.ListPluginsRequest) (*pb.ListPluginsResponse, error) {
	return nil, errPlugins()
}

// GetPluginStatus implements CommandService.
func (commandService) GetPluginStatus(context.Context, *pb.GetPluginStatusRequest) (*pb.GetPluginStatusResponse, error) {
	return nil, errPlugins()
}

// AddPlugin implements CommandService.
func (commandService) AddPlugin(context.Context, *pb.AddPluginRequest) (*pb.AddPluginResponse, error) {
	return nil, errPlugins()
}

// RemovePlugin implements CommandService.
func (commandService) RemovePlugin(context.Context, *pb.RemovePluginRequest) (*pb.RemovePluginResponse, error) {
	return nil, errPlugins()
}

// EnablePlugin implements CommandService.
func (commandService) EnablePlugin(context.Context, *pb.EnablePluginRequest) (*pb.EnablePluginResponse, error) {
	return nil, errPlugins()
}

// DisablePlugin implements CommandService.
func (commandService) DisablePlugin(context.Context, *pb.DisablePluginRequest) (*pb.DisablePluginResponse, error) {
	return nil, errPlugins()
}

func errPlugins() error {
	return messages.Errorf("manage plugins", messages.Unimplemented, "this daemon has no plugins yet").
		WithHint("Plugins of the agent work; 'betcode commands list' shows their commands.")
}
