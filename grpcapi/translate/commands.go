package translate

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// The translation of commands.proto.

// CommandsOut returns an agent's commands by name. One with the name of a daemon command stays
// in the list: its execution mode differs, and it is sent as a message.
func CommandsOut(a messages.Abilities) []*pb.CommandEntry {
	out := make([]*pb.CommandEntry, 0, len(a.Commands))
	for _, c := range a.Commands {
		e := &pb.CommandEntry{
			Name: c.Name, Description: c.Description, Category: pb.CommandCategory_COMMAND_CATEGORY_CLAUDE_CODE,
			ExecutionMode: pb.ExecutionMode_EXECUTION_MODE_PASSTHROUGH, Source: "claude", Group: "claude", DisplayName: "/" + c.Name,
			ArgsSchema: argumentsOut(c.Arguments),
		}
		server, _, isPrompt := strings.Cut(strings.TrimPrefix(c.Name, "mcp__"), "__")
		plugin, _, isPlugin := strings.Cut(c.Name, ":")
		switch {
		case strings.HasPrefix(c.Name, "mcp__") && isPrompt:
			e.Category, e.Source, e.Group = pb.CommandCategory_COMMAND_CATEGORY_MCP, "mcp:"+server, "mcp:"+server
		case isPlugin:
			e.Source, e.Group = "plugin:"+plugin, "plugin:"+plugin
		}
		if slices.Contains(a.Skills, c.Name) {
			e.Category = pb.CommandCategory_COMMAND_CATEGORY_SKILL
			if !isPlugin {
				e.Group = "skills"
			}
		}
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b *pb.CommandEntry) int { return strings.Compare(a.GetName(), b.GetName()) })
	return out
}

// argumentsOut returns the JSON Schema of a command's arguments: text, described by the hint.
func argumentsOut(hint string) *string {
	if hint == "" {
		return nil
	}
	schema, err := json.Marshal(map[string]string{"type": "string", "description": hint})
	if err != nil {
		return nil // strings always marshal
	}
	text := string(schema)
	return &text
}

// SessionAgentOut translates a session into an entry of the list of agents.
func SessionAgentOut(r messages.SessionRecord) *pb.AgentInfo {
	id := string(r.ID)
	out := &pb.AgentInfo{Name: r.Name, Kind: pb.AgentKind_AGENT_KIND_DAEMON_ORCHESTRATED, Source: "betcode", SessionId: &id}
	if out.Name == "" {
		out.Name = id[:min(8, len(id))]
	}
	switch r.Phase {
	case messages.PhaseActive:
		out.Status = pb.CommandAgentStatus_COMMAND_AGENT_STATUS_WORKING
	case messages.PhaseNew, messages.PhaseIdle, messages.PhaseWaiting:
		out.Status = pb.CommandAgentStatus_COMMAND_AGENT_STATUS_IDLE
	case messages.PhaseClosed:
		out.Status = pb.CommandAgentStatus_COMMAND_AGENT_STATUS_DONE
	case messages.PhaseCrashed, messages.PhaseDamaged:
		out.Status = pb.CommandAgentStatus_COMMAND_AGENT_STATUS_FAILED
	}
	return out
}

// AgentTypeOut translates a kind of subagent that a session's agent can start.
func AgentTypeOut(t messages.AgentType, session messages.SessionID) *pb.AgentInfo {
	id := string(session)
	return &pb.AgentInfo{
		Name: t.Name, Kind: pb.AgentKind_AGENT_KIND_CLAUDE_INTERNAL, Status: pb.CommandAgentStatus_COMMAND_AGENT_STATUS_IDLE,
		Source: "claude", SessionId: &id,
	}
}

// SubagentOut translates a running subagent, or one that has just ended.
func SubagentOut(a messages.Subagent, session messages.SessionID) *pb.AgentInfo {
	id := string(session)
	out := &pb.AgentInfo{
		Name: cmp.Or(a.Type, "subagent"), Kind: pb.AgentKind_AGENT_KIND_CLAUDE_INTERNAL, Source: "claude", SessionId: &id,
		TaskId: a.Task, ToolUseId: a.ToolUse, Description: a.Description, Background: a.Background,
	}
	switch a.State {
	case "pending":
		out.Status = pb.CommandAgentStatus_COMMAND_AGENT_STATUS_IDLE
	case "completed":
		out.Status = pb.CommandAgentStatus_COMMAND_AGENT_STATUS_DONE
	case "failed", "killed", "stopped":
		out.Status = pb.CommandAgentStatus_COMMAND_AGENT_STATUS_FAILED
	default:
		out.Status = pb.CommandAgentStatus_COMMAND_AGENT_STATUS_WORKING
	}
	return out
}

// PathsOut translates completions of a path.
func PathsOut(l messages.PathList) *pb.ListPathResponse {
	out := &pb.ListPathResponse{Truncated: l.Truncated}
	for _, e := range l.Entries {
		out.Entries = append(out.Entries, &pb.PathEntry{
			Path: strings.ToValidUTF8(e.Path, "?"), Kind: pathKindOut(e.Kind), Size: uint64(max(e.Size, 0)), ModifiedAt: e.Modified.Unix(),
		})
	}
	return out
}

func pathKindOut(k messages.PathKind) pb.PathKind {
	switch k {
	case messages.PathOther:
		return pb.PathKind_PATH_KIND_UNSPECIFIED
	case messages.PathFile:
		return pb.PathKind_PATH_KIND_FILE
	case messages.PathDirectory:
		return pb.PathKind_PATH_KIND_DIRECTORY
	case messages.PathSymlink:
		return pb.PathKind_PATH_KIND_SYMLINK
	}
	return pb.PathKind(k)
}
