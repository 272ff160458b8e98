package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	pb "betcode/proto/betcode/v1"
)

// pruneDays is how long a worktree is not used before it is pruned, unless the command says otherwise.
const pruneDays = 30

// pruneWorktrees lists the unused worktrees, and with --yes removes them. The daemon checks again, right before each removal, that
// the worktree is unused.
func (p *program) pruneWorktrees(ctx context.Context, c *cli.Context, cl *client.Client) error {
	if c.Int("days") < 0 {
		return exit.Usage(errors.New("--days is not negative"))
	}
	list, err := listed(ctx, c, cl)
	if err != nil {
		return err
	}
	since := time.Now().AddDate(0, 0, -c.Int("days"))
	found, freed := 0, uint64(0)
	var failed []error
	for _, w := range list.GetWorktrees() {
		if kept(w, since) != "" {
			continue
		}
		if c.Bool("yes") {
			request := &pb.RemoveWorktreeRequest{WorktreeId: w.GetId()}
			if w.GetState() != pb.WorktreeState_WORKTREE_STATE_STALE {
				request.UnusedSince = timestamppb.New(since)
			}
			if _, err := cl.Worktree.RemoveWorktree(ctx, request); err != nil {
				failed = append(failed, fmt.Errorf("%s: %s", console.Line(w.GetName()), exit.Explain(err)))
				continue
			}
		}
		found++
		freed += w.GetWork().GetDiskBytes()
		fmt.Fprintln(p.Stdout, console.Line(w.GetPath()))
	}
	switch {
	case found == 0 && len(failed) == 0:
		p.Say("All %d worktrees are needed.", len(list.GetWorktrees()))
	case c.Bool("yes"):
		p.Say("Removed %d worktrees, %s. Their branches stay.", found, p.Bytes(freed))
	default:
		p.Say("These %d worktrees, %s, can be removed: betcode worktree prune --yes", found, p.Bytes(freed))
	}
	return errors.Join(failed...)
}

// kept says why a worktree is not pruned; empty if it is.
func kept(w *pb.WorktreeInfo, since time.Time) string {
	if w.GetState() == pb.WorktreeState_WORKTREE_STATE_STALE {
		return ""
	}
	for _, l := range w.GetLeases() {
		if l.GetState() == pb.WorktreeLeaseState_WORKTREE_LEASE_STATE_HELD {
			return "leased"
		}
	}
	work := w.GetWork()
	switch {
	case w.GetState() != pb.WorktreeState_WORKTREE_STATE_READY:
		return worktreeState(w)
	case setupRuns(w):
		return "its setup runs"
	case work == nil:
		return "unknown"
	case work.GetChangedFiles()+work.GetUntrackedFiles()+work.GetUnpushed() > 0:
		return workLine(work)
	case w.GetLastUsed() == nil || !w.GetLastUsed().AsTime().Before(since):
		return "used"
	}
	return ""
}
