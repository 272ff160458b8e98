package permission

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/urfave/cli/v2"
	"google.golang.org/protobuf/types/known/structpb"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/output"
	pb "betcode/proto/betcode/v1"
)

func (p group) explainPermission(ctx context.Context, c *cli.Context, cl *client.Client) error {
	args, session := c.Args().Slice(), c.String("session")
	if len(args) == 3 {
		if session != "" || c.String("cwd") != "" {
			return exit.Usage(errors.New("SESSION contradicts --session and --cwd: leave them out"))
		}
		session, args = args[0], args[1:]
	}
	request := &pb.ExplainPermissionRequest{ToolName: args[0], SessionId: session}
	if len(args) > 1 {
		request.Argument = args[1]
	}
	if (c.String("input") != "") == (request.GetArgument() != "") {
		return exit.Usage(errors.New("give either ARGUMENT or --input"))
	}
	if c.String("session") != "" && c.String("cwd") != "" {
		return exit.Usage(errors.New("--session and --cwd contradict each other: leave one of them out"))
	}
	var err error
	if input := c.String("input"); input != "" {
		if request.Input, err = objectArgument(input); err != nil {
			return exit.Usage(fmt.Errorf("--input %w", err))
		}
	}
	if request.GetSessionId() == "" {
		if request.WorkingDirectory, err = filepath.Abs(c.String("cwd")); err != nil {
			return err
		}
	}
	explained, err := cl.Admin.ExplainPermission(ctx, request)
	if err != nil {
		return err
	}
	return p.Show(c, output.View{
		Schema: "betcode.permission.explain/v1", Value: explained, Name: "effect",
		Text: func(w io.Writer, _ output.Look) error { return writeExplained(w, explained) },
	})
}

// writeExplained writes the effect first, for scripts, then what decides it.
func writeExplained(w io.Writer, e *pb.ExplainPermissionResponse) error {
	effect := e.GetEffect()
	if effect == "none" {
		effect = "ask"
	}
	if _, err := fmt.Fprintf(w, "%s: %s\n", effect, console.Line(e.GetWhy())); err != nil {
		return err
	}
	for _, r := range e.GetRules() {
		if _, err := fmt.Fprintf(w, "  by %s\n", console.Line(r)); err != nil {
			return err
		}
	}
	for _, problem := range e.GetProblems() {
		if _, err := fmt.Fprintf(w, "  note: %s\n", console.Line(problem)); err != nil {
			return err
		}
	}
	return writeAgentDecision(w, e.GetAgent())
}

// writeAgentDecision writes the decisions that the session's agent takes by itself.
func writeAgentDecision(w io.Writer, a *pb.AgentDecision) error {
	if a == nil {
		return nil
	}
	does := map[string]string{"allow": "runs it without asking", "deny": "refuses it without asking"}
	lines := []string{fmt.Sprintf("%s: %s", cmp.Or(does[a.GetEffect()], "asks"), a.GetWhy())}
	mode := "mode " + a.GetPermissionMode()
	if next := a.GetNextPermissionMode(); next != "" {
		mode += ", " + next + " when it is started again"
	}
	if !a.GetRunning() {
		mode += "; no agent runs, the next one has all rules"
	}
	lines = append(lines, mode)
	for _, r := range a.GetMissingRules() {
		lines = append(lines, "has not been given this rule yet: "+r)
	}
	for _, line := range lines {
		if _, err := fmt.Fprintf(w, "  agent: %s\n", console.Line(line)); err != nil {
			return err
		}
	}
	return nil
}

// objectArgument reads a JSON object from the command line.
func objectArgument(text string) (*structpb.Struct, error) {
	var fields map[string]any
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		return nil, fmt.Errorf("is not a JSON object: %w", err)
	}
	return structpb.NewStruct(fields)
}
