package gateways

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/cmd/betcode/internal/client"
	"betcode/gateway/portal"
	"betcode/gateway/portal/proxy"
	pb "betcode/proto/betcode/v1"
)

// proxiedSession implements [proxy.Daemon] over a connection.
type proxiedSession struct {
	client   *client.Client
	id       string
	readOnly bool
}

// Show implements [proxy.Daemon].
func (s proxiedSession) Show(ctx context.Context) (proxy.Session, error) {
	found, err := s.client.Admin.ShowSession(ctx, &pb.ShowSessionRequest{SessionId: s.id})
	switch {
	case status.Code(err) == codes.NotFound:
		return proxy.Session{}, proxy.ErrNotFound
	case err != nil:
		return proxy.Session{}, explained(err)
	}
	return proxy.Session{
		Model: found.GetSummary().GetModel(), Directory: found.GetSummary().GetWorkingDirectory(),
		Head: found.GetHead(), Before: max(found.GetBoundary(), found.GetLowWater()),
	}, nil
}

// Converse implements [proxy.Daemon].
func (s proxiedSession) Converse(after uint64) proxy.Conversation {
	start := &pb.StartConversation{SessionId: s.id, History: pb.HistoryPolicy_HISTORY_POLICY_FULL, Observer: s.readOnly}
	if after > 0 {
		start.History, start.FromSequence = pb.HistoryPolicy_HISTORY_POLICY_FROM_SEQUENCE, after
	}
	return proxiedConversation{conversing(s.client, start)}
}

// Stop implements [proxy.Daemon].
func (s proxiedSession) Stop(ctx context.Context) error {
	_, err := s.client.Admin.StopSession(ctx, &pb.StopSessionRequest{SessionId: s.id})
	if status.Code(err) == codes.NotFound {
		return nil
	}
	return err
}

// proxiedConversation implements [proxy.Conversation].
type proxiedConversation struct{ *writing }

// Err implements [proxy.Conversation].
func (c proxiedConversation) Err() error {
	switch err := c.writing.Err(); {
	case errors.Is(err, errRestored):
		return proxy.ErrRestored
	case errors.Is(err, portal.ErrNotFound):
		return proxy.ErrNotFound
	default:
		return err
	}
}

// branchOf returns the branch of a directory, as proxies of portals name it; empty if there is none.
// git gets no more of the environment than it needs, and runs no program of the repository.
func branchOf(ctx context.Context, directory string) string {
	if name := revParse(ctx, directory, "--abbrev-ref"); name != "HEAD" {
		return name
	}
	if commit := revParse(ctx, directory, "--short"); commit != "" {
		return "detached:" + commit
	}
	return ""
}

func revParse(ctx context.Context, directory, form string) string {
	command := exec.CommandContext(ctx, "git", "-c", "core.fsmonitor=false", "-c", "safe.bareRepository=explicit", "rev-parse", form, "HEAD")
	command.Dir = directory
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0"}
	out, err := command.Output()
	if err != nil {
		return "" // no repository, no commit, or no git
	}
	return strings.TrimSpace(string(out))
}
