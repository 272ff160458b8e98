package translate

import (
	"cmp"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// ServersOut translates the servers in reports that have a status; 0 = any. For servers with the
// same name it uses the newest report.
func ServersOut(reports []messages.AgentReport, wanted pb.McpServerStatus) *pb.ListMcpServersResponse {
	out := &pb.ListMcpServersResponse{}
	seen := map[string]bool{}
	for _, report := range reports { // newest first
		for _, server := range report.Servers {
			if seen[server.Name] {
				continue
			}
			seen[server.Name] = true
			if info := serverOut(server, report); wanted == 0 || info.GetStatus() == wanted {
				out.Servers = append(out.Servers, info)
			}
		}
	}
	slices.SortFunc(out.GetServers(), func(a, b *pb.McpServerInfo) int { return cmp.Compare(a.GetName(), b.GetName()) })
	return out
}

// ServerStatusIn translates a filter; 0 = any.
func ServerStatusIn(op, filter string) (pb.McpServerStatus, error) {
	const prefix = "MCP_SERVER_STATUS_"
	name := strings.ToUpper(strings.TrimSpace(filter))
	if name == "" {
		return 0, nil
	}
	if status, ok := pb.McpServerStatus_value[prefix+strings.TrimPrefix(name, prefix)]; ok && status != 0 {
		return pb.McpServerStatus(status), nil
	}
	return 0, wire.Invalid(op, "Use running, stopped, starting or error, or leave it empty for all.", "the status_filter %q is unknown", wire.Clip(filter))
}

// serverOut translates a server that an agent has reported.
func serverOut(s messages.McpServer, r messages.AgentReport) *pb.McpServerInfo {
	out := &pb.McpServerInfo{
		Name: wire.Printable(s.Name), ServerType: wire.Printable(s.Type), Endpoint: wire.Printable(s.Endpoint),
		SessionId: string(r.Session), ReportedAt: timestamppb.New(r.At),
	}
	switch s.Status {
	case "connected":
		out.Status = pb.McpServerStatus_MCP_SERVER_STATUS_RUNNING
	case "pending":
		out.Status = pb.McpServerStatus_MCP_SERVER_STATUS_STARTING
	case "disabled":
		out.Status, out.ErrorMessage = pb.McpServerStatus_MCP_SERVER_STATUS_STOPPED, "The server is disabled."
	case "failed":
		out.Status, out.ErrorMessage = pb.McpServerStatus_MCP_SERVER_STATUS_ERROR, "The agent could not connect to the server."
	case "needs-auth":
		out.Status, out.ErrorMessage = pb.McpServerStatus_MCP_SERVER_STATUS_ERROR, "The server requires a login."
	default:
		out.ErrorMessage = "The agent reports " + wire.Printable(s.Status) + "."
	}
	if !r.Running {
		out.Status, out.ErrorMessage = pb.McpServerStatus_MCP_SERVER_STATUS_STOPPED, "The agent does not run."
	}
	prefix := "mcp__" + serverPrefix(s.Name) + "__"
	for _, tool := range r.Tools {
		if name, ok := strings.CutPrefix(tool, prefix); ok {
			out.Tools = append(out.Tools, wire.Printable(name))
		}
	}
	return out
}

// serverPrefix returns a server's name as it appears in the names of its tools.
func serverPrefix(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || (r >= '0' && r <= '9') || (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z') {
			return r
		}
		return '_'
	}, name)
}
