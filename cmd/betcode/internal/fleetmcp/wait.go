package fleetmcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
)

// report is a subagent as the agent sees it.
type report struct {
	ID      string  `json:"subagent_id"`
	Name    string  `json:"name,omitempty"`
	Status  string  `json:"status"`
	Depth   uint32  `json:"depth,omitempty"`
	CostUSD float64 `json:"cost_usd,omitempty"`
	Text    string  `json:"text_written_by_subagent,omitempty"` // its result, or why it failed
}

func reportOf(info *pb.SubagentInfo, most int) report {
	return report{
		ID: info.GetId(), Name: info.GetName(), Status: statusOf(info.GetStatus()), Depth: info.GetDepth(), CostUSD: info.GetCostUsd(),
		Text: cut(info.GetResultSummary(), most),
	}
}

func statusOf(s pb.SubagentStatus) string {
	return strings.ToLower(strings.TrimPrefix(s.String(), "SUBAGENT_STATUS_"))
}

func ended(info *pb.SubagentInfo) bool {
	return info.GetStatus() >= pb.SubagentStatus_SUBAGENT_STATUS_COMPLETED
}

// listInput is what list_subagents takes.
type listInput struct {
	Status string `json:"status,omitempty" jsonschema:"only those with this status"`
}

func (s *Server) list(ctx context.Context, _ *mcp.CallToolRequest, in listInput) (any, error) {
	all, err := s.known(ctx, in.Status)
	if err != nil {
		return nil, err
	}
	slices.Reverse(all)
	out := struct {
		Subagents []report `json:"subagents"`
		Left      int      `json:"not_shown,omitempty"`
	}{Subagents: []report{}, Left: max(0, len(all)-maxListed)}
	for _, info := range all[:min(len(all), maxListed)] {
		out.Subagents = append(out.Subagents, reportOf(info, maxSummary))
	}
	return out, nil
}

// known returns the descendants of the session, oldest first.
func (s *Server) known(ctx context.Context, filter string) ([]*pb.SubagentInfo, error) {
	var list *pb.ListSubagentsResponse
	err := again(ctx, daemonPatience, func(ctx context.Context) (err error) {
		list, err = s.subagents.ListSubagents(ctx, &pb.ListSubagentsRequest{StatusFilter: filter})
		return err
	})
	return list.GetSubagents(), err
}

// waitInput is what wait_for_subagent takes.
type waitInput struct {
	Subagents []string `json:"subagent_ids" jsonschema:"as spawn_subagent returned them"`
	Any       bool     `json:"any,omitempty" jsonschema:"return as soon as one of them has ended"`
	Seconds   int      `json:"timeout_seconds,omitempty" jsonschema:"how long to wait; default 120"`
}

// Polling intervals for running subagents.
const (
	shortestLook = 200 * time.Millisecond
	longestLook  = 2 * time.Second
)

func (s *Server) wait(ctx context.Context, _ *mcp.CallToolRequest, in waitInput) (any, error) {
	deadline := time.Now().Add(limit(in.Seconds))
	for pause := shortestLook; ; pause = min(pause*5/4, longestLook) {
		all, err := s.known(ctx, "")
		if err != nil {
			return nil, err
		}
		var reports []report
		over := 0
		for _, id := range in.Subagents {
			at := slices.IndexFunc(all, func(i *pb.SubagentInfo) bool { return strings.EqualFold(i.GetId(), id) })
			if at < 0 {
				return nil, fmt.Errorf("SUBAGENT_NOT_FOUND: there is no subagent %q. list_subagents shows those of this session", cut(id, 64))
			}
			if ended(all[at]) {
				over++
			}
			reports = append(reports, reportOf(all[at], maxText/len(in.Subagents)+maxSummary))
		}
		done := over == len(in.Subagents) || in.Any && over > 0
		if left := time.Until(deadline); !done && left > 0 {
			if err := rest(ctx, min(pause, left)); err != nil {
				return nil, err
			}
			continue
		}
		return map[string]any{"subagents": reports, "timed_out": !done}, nil
	}
}

// rest waits.
func rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// watchInput is what watch_subagent takes.
type watchInput struct {
	Subagent string `json:"subagent_id" jsonschema:"as spawn_subagent returned it"`
	From     uint64 `json:"from_sequence,omitempty" jsonschema:"next_sequence of the former answer; default: from the beginning"`
	Seconds  int    `json:"timeout_seconds,omitempty" jsonschema:"how long to wait for something new; default 120"`
}

// watched is what watch_subagent answers.
type watched struct {
	ID   string `json:"subagent_id"`
	Next uint64 `json:"next_sequence"`
	Over bool   `json:"ended"`
	Text string `json:"text_written_by_subagent"`
}

// quiet is how long nothing has to come behind something for an answer to be complete.
const quiet = 500 * time.Millisecond

func (s *Server) watch(ctx context.Context, _ *mcp.CallToolRequest, in watchInput) (any, error) {
	out := watched{ID: in.Subagent, Next: in.From}
	ctx, cancel := context.WithTimeout(ctx, limit(in.Seconds))
	defer cancel()
	var text strings.Builder
	err := again(ctx, limit(in.Seconds), func(ctx context.Context) error { return s.follow(ctx, &out, &text) })
	out.Text = text.String()
	switch code := status.Code(err); {
	case err == nil, errors.Is(err, io.EOF):
		return out, nil
	case code == codes.DeadlineExceeded, code == codes.Canceled, ctx.Err() != nil:
		return out, nil // what came until then is the answer
	}
	return nil, err
}

// follow adds the events of a subagent to an answer until the answer is full, the subagent has
// ended, or no event follows.
func (s *Server) follow(ctx context.Context, out *watched, text *strings.Builder) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := s.subagents.WatchSubagent(ctx, &pb.WatchSubagentRequest{SubagentId: out.ID, FromSequence: out.Next})
	if err != nil {
		return err
	}
	timer := time.AfterFunc(maxWait+time.Minute, cancel)
	defer timer.Stop()
	for {
		e, err := stream.Recv()
		if err != nil {
			return err
		}
		if shown := show(e); shown != "" {
			if text.Len() > 0 && text.Len()+len(shown) > maxText {
				return nil // from there on the next time
			}
			text.WriteString(cut(shown, maxText))
			timer.Reset(quiet)
		}
		out.Next = max(out.Next, e.GetSequence())
		switch e.GetEvent().(type) {
		case *pb.SubagentEvent_Completed, *pb.SubagentEvent_Failed, *pb.SubagentEvent_Cancelled:
			out.Over = true
			return nil
		}
	}
}

// show returns an event as text, empty for one that has nothing to show.
func show(e *pb.SubagentEvent) string {
	switch e := e.GetEvent().(type) {
	case *pb.SubagentEvent_Output:
		if e.Output.GetIsComplete() {
			return e.Output.GetText() + "\n"
		}
		return e.Output.GetText()
	case *pb.SubagentEvent_ToolUse:
		return "[calls " + e.ToolUse.GetToolName() + " " + cut(e.ToolUse.GetDescription(), maxSummary) + "]\n"
	case *pb.SubagentEvent_PermissionRequest:
		return "[waits for a person to decide about " + e.PermissionRequest.GetToolName() + "]\n"
	case *pb.SubagentEvent_Completed:
		return "[completed] " + e.Completed.GetResultSummary()
	case *pb.SubagentEvent_Failed:
		return "[failed] " + e.Failed.GetErrorMessage()
	case *pb.SubagentEvent_Cancelled:
		return "[cancelled] " + e.Cancelled.GetReason()
	}
	return ""
}
