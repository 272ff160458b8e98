package grpcapi

import (
	"context"
	"fmt"
	"strings"
	"time"

	"betcode/grpcapi/handler"
	"betcode/grpcapi/translate"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// serviceCommand is a command of the daemon. It is read-only, starts no program, and returns lines of plain text.
type serviceCommand struct {
	name, description string
	run               func(s commandService, ctx context.Context, session string) ([]string, error)
}

// serviceCommands are all commands but "help", which lists them.
var serviceCommands = []serviceCommand{
	{"permissions", "what waits for an answer, in the session or in all", commandService.permissionLines},
	{"sessions", "the newest sessions", commandService.sessionLines},
	{"status", "how the daemon is", commandService.statusLines},
	{"tree", "the actors of the daemon as they are now", commandService.treeLines},
}

const helpCommand = "help"

// Exit codes of service commands, the same as those of the command line.
const (
	exitedWell  = 0
	exitedUsage = 5
)

// run executes a command and sends its output; the exit code or an error comes last.
func (s commandService) run(ctx context.Context, r *pb.ExecuteServiceCommandRequest, send func(*pb.ServiceCommandOutput) error) error {
	const op = "execute service command"
	name := strings.TrimPrefix(r.GetCommand(), "/")
	run := func(commandService, context.Context, string) ([]string, error) { return helpLines(), nil }
	if name != helpCommand {
		command, ok := findServiceCommand(name)
		if !ok {
			return messages.Errorf(op, messages.NotFound, "the daemon has no command %q", wire.Clip(name)).
				WithHint("It has " + strings.Join(serviceNames(), ", ") + ". The agent's commands are sent as messages.")
		}
		run = command.run
	}
	if len(r.GetArgs()) > 0 {
		if err := send(stderrLine(name + " takes no arguments")); err != nil {
			return err
		}
		return send(exitCodeIs(exitedUsage))
	}
	lines, err := run(s, ctx, r.GetSessionId())
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return send(&pb.ServiceCommandOutput{Output: &pb.ServiceCommandOutput_Error{Error: wire.Sentence(wire.AsError(err))}})
	}
	for _, line := range lines {
		if err := send(&pb.ServiceCommandOutput{Output: &pb.ServiceCommandOutput_StdoutLine{StdoutLine: strings.ToValidUTF8(line, "?")}}); err != nil {
			return err
		}
	}
	return send(exitCodeIs(exitedWell))
}

func stderrLine(line string) *pb.ServiceCommandOutput {
	return &pb.ServiceCommandOutput{Output: &pb.ServiceCommandOutput_StderrLine{StderrLine: line}}
}

func exitCodeIs(code int32) *pb.ServiceCommandOutput {
	return &pb.ServiceCommandOutput{Output: &pb.ServiceCommandOutput_ExitCode{ExitCode: code}}
}

func findServiceCommand(name string) (serviceCommand, bool) {
	for _, c := range serviceCommands {
		if c.name == name {
			return c, true
		}
	}
	return serviceCommand{}, false
}

func serviceNames() []string {
	names := []string{helpCommand}
	for _, c := range serviceCommands {
		names = append(names, c.name)
	}
	return names
}

func helpLines() []string {
	lines := make([]string, len(serviceCommands))
	for i, c := range serviceCommands {
		lines[i] = fmt.Sprintf("%-12s %s", c.name, c.description)
	}
	return lines
}

func (s commandService) statusLines(ctx context.Context, _ string) ([]string, error) {
	h, err := detailsService{server: s.server}.GetHealthDetails(ctx, &pb.HealthDetailsRequest{})
	if err != nil {
		return nil, err
	}
	overall := h.GetOverallStatus().String()
	if h.GetDegraded() {
		overall += " (degraded)"
	}
	lines := []string{"Daemon: " + overall}
	for _, c := range h.GetComponents() {
		name := c.GetName()
		if name == "sqlite" { // the specification's name for the journal
			name = "journal"
		}
		line := "  " + name + ": " + c.GetStatus().String()
		if c.GetMessage() != "" {
			line += " (" + c.GetMessage() + ")"
		}
		lines = append(lines, line)
	}
	if h.GetDegradedReason() != "" {
		lines = append(lines, "Degraded: "+h.GetDegradedReason())
	}
	if states := h.GetMetadata()[translate.DegradedStates]; states != "" {
		lines = append(lines, "Degraded states: "+strings.ReplaceAll(states, ",", ", "))
	}
	return append(lines, "Uptime: "+h.GetMetadata()["uptime"], "Version: "+h.GetMetadata()["version"]), nil
}

func (s commandService) treeLines(ctx context.Context, _ string) ([]string, error) {
	tree, err := handler.Ask[messages.TreeNode](ctx, s.server.asker, messages.GetTree{})
	if err != nil {
		return nil, err
	}
	return nodeLines(translate.TreeOut(tree), 0), nil
}

// nodeLines returns the subtree of an actor as lines, indented by two spaces a level.
func nodeLines(n *pb.TreeNode, depth int) []string {
	line := strings.Repeat("  ", depth) + n.GetName() + "  " + n.GetState()
	if n.GetRestarts() > 0 {
		line += fmt.Sprintf("  restarts=%d", n.GetRestarts())
	}
	if n.GetLastError() != "" {
		line += "  error: " + wire.Clip(n.GetLastError())
	}
	lines := []string{line}
	for _, child := range n.GetChildren() {
		lines = append(lines, nodeLines(child, depth+1)...)
	}
	return lines
}

func (s commandService) permissionLines(ctx context.Context, session string) ([]string, error) {
	list, err := adminService{asker: s.server.asker}.ListPermissions(ctx, &pb.ListPermissionsRequest{SessionId: session})
	if err != nil {
		return nil, err
	}
	lines := []string{}
	for _, p := range list.GetPermissions() {
		lines = append(lines, fmt.Sprintf("%s  %s  %s  %s", p.GetRequestId(), p.GetSessionId(), p.GetToolName(), wire.Clip(p.GetDescription())))
	}
	if len(lines) == 0 {
		lines = append(lines, "Nothing waits.")
	}
	return lines, nil
}

func (s commandService) sessionLines(ctx context.Context, _ string) ([]string, error) {
	list, err := handler.Ask[messages.SessionList](ctx, s.server.asker, messages.ListSessions{Limit: defaultCompletions})
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, r := range list.Sessions {
		lines = append(lines, fmt.Sprintf("%s  %-8s %s  %s  %s", r.ID, r.Phase, r.UpdatedAt.UTC().Format(time.RFC3339), r.WorkingDirectory, r.Label()))
	}
	return append(lines, fmt.Sprintf("%d of %d sessions", len(list.Sessions), list.Total)), nil
}

// serviceEntries returns the commands of the daemon.
func serviceEntries() []*pb.CommandEntry {
	out := []*pb.CommandEntry{serviceEntry(helpCommand, "the daemon's own commands")}
	for _, c := range serviceCommands {
		out = append(out, serviceEntry(c.name, c.description))
	}
	return out
}

func serviceEntry(name, description string) *pb.CommandEntry {
	return &pb.CommandEntry{
		Name: name, Description: description, Category: pb.CommandCategory_COMMAND_CATEGORY_SERVICE,
		ExecutionMode: pb.ExecutionMode_EXECUTION_MODE_LOCAL, Source: "betcode", Group: "betcode", DisplayName: "/" + name,
	}
}
