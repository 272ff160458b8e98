package cli

import (
	"cmp"
	"context"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/sessionstate"
	"betcode/config"
	pb "betcode/proto/betcode/v1"
)

// liveKinds maps kinds of values that the daemon knows to the call that lists them.
var liveKinds = map[string]func(ctx context.Context, cl *client.Client) ([]candidate, error){
	"SESSION": sessionCandidates, "REQUEST": requestCandidates, "WORKTREE": worktreeCandidates, "ORCHESTRATION": orchestrationCandidates,
}

// liveCandidates returns the values of a kind. It asks the daemon, if one answers in time, for those that this program does not know.
func (p *program) liveCandidates(c *cli.Context, kind string) (found []candidate) {
	switch kind {
	case "SETTING":
		for _, s := range config.Table() {
			found = append(found, candidate{s.Name, s.Help})
		}
		return found
	case "STATE":
		for _, name := range sessionstate.Names() {
			found = append(found, candidate{string(name), ""})
		}
		return found
	}
	list, ok := liveKinds[kind]
	if !ok {
		return nil
	}
	cfg, err := p.ClientConfig(c)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(c.Context, completeTime)
	defer cancel()
	cl, err := client.Open(cfg, client.Person())
	if err != nil {
		return nil
	}
	defer cl.Close()
	if found, err = list(ctx, cl); err != nil {
		return nil
	}
	return found
}

func sessionCandidates(ctx context.Context, cl *client.Client) ([]candidate, error) {
	list, err := cl.Agent.ListSessions(ctx, &pb.ListSessionsRequest{Limit: 200})
	var found []candidate
	for _, s := range list.GetSessions() {
		if s.GetName() != "" {
			found = append(found, candidate{s.GetName(), s.GetWorkingDirectory()})
		}
		found = append(found, candidate{s.GetId(), cmp.Or(s.GetTitle(), s.GetWorkingDirectory())})
	}
	return append(found, candidate{"@last", "the session used last"}), err
}

func requestCandidates(ctx context.Context, cl *client.Client) (found []candidate, err error) {
	list, err := cl.Admin.ListPermissions(ctx, &pb.ListPermissionsRequest{})
	for _, r := range list.GetPermissions() {
		found = append(found, candidate{r.GetRequestId(), r.GetToolName() + " " + console.ToolCall(r.GetToolName(), r.GetInput(), r.GetDescription(), 60)})
	}
	return found, err
}

func worktreeCandidates(ctx context.Context, cl *client.Client) (found []candidate, err error) {
	list, err := cl.Worktree.ListWorktrees(ctx, &pb.ListWorktreesRequest{})
	for _, w := range list.GetWorktrees() {
		found = append(found, candidate{w.GetName(), w.GetPath()})
	}
	return found, err
}

func orchestrationCandidates(ctx context.Context, cl *client.Client) (found []candidate, err error) {
	list, err := cl.Subagent.ListOrchestrations(ctx, &pb.ListOrchestrationsRequest{})
	shared := map[string]int{"": 2} // orchestrations by name; one that several have refers to none
	for _, o := range list.GetOrchestrations() {
		shared[o.GetName()]++
	}
	for _, o := range list.GetOrchestrations() {
		if shared[o.GetName()] == 1 {
			found = append(found, candidate{o.GetName(), "created " + o.GetCreatedAt().AsTime().Local().Format(time.DateTime)})
		}
		found = append(found, candidate{o.GetId(), o.GetName()})
	}
	return append(found, candidate{"@last", "the orchestration created last"}), err
}
