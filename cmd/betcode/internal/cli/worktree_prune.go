package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v2"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/output"
	pb "betcode/proto/betcode/v1"
)

// pruneDays is the default number of days after which an unused worktree is pruned.
const pruneDays = 30

// pruneWorktrees lists the unused worktrees, and with --yes has the daemon remove them.
func (p *program) pruneWorktrees(ctx context.Context, c *cli.Context, cl *client.Client) error {
	if c.Int("days") < 0 {
		return exit.Usage(fmt.Errorf("--days %d is negative; give the number of days without use, 0 for all", c.Int("days")))
	}
	request := &pb.PruneWorktreesRequest{UnusedSince: timestamppb.New(time.Now().AddDate(0, 0, -c.Int("days"))), DryRun: !c.Bool("yes")}
	if !c.Bool("all") {
		dir, err := repository(c)
		if err != nil {
			return err
		}
		request.RepoPath = dir
	}
	options, err := output.Parse(c)
	if err != nil {
		return err
	}
	answer, err := cl.Worktree.PruneWorktrees(ctx, request)
	if err != nil {
		return err
	}
	found, freed := 0, uint64(0)
	var failed []error
	var paths []string
	for _, w := range answer.GetWorktrees() {
		if w.GetProblem() != "" {
			failed = append(failed, fmt.Errorf("%s: %s", console.Line(w.GetWorktree().GetName()), console.Line(w.GetProblem())))
			continue
		}
		found++
		freed += w.GetWorktree().GetWork().GetDiskBytes()
		paths = append(paths, w.GetWorktree().GetPath())
	}
	view := output.View{
		Schema: "betcode.worktree.prune/v1", Value: answer, List: "worktrees", Name: "path", Err: errors.Join(failed...),
		Added: []output.Member{{Name: "path", Value: func(i int) any { return answer.GetWorktrees()[i].GetWorktree().GetPath() }}},
		Text: func(w io.Writer, _ output.Look) error {
			for _, path := range paths {
				if _, err := fmt.Fprintln(w, console.Line(path)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	if err := (output.Printer{Console: p.Console, Options: options}).Print(view); !options.People() || err != nil && len(failed) == 0 {
		return err
	}
	switch {
	case found == 0 && len(failed) == 0:
		p.Say("Nothing to remove: %s looked at.", console.Count(answer.GetExamined(), "worktree"))
	case c.Bool("yes"):
		p.Say("Removed %s, %s. Branches stay.", console.Count(found, "worktree"), console.Size(freed))
	default:
		p.Say("%s, %s, can be removed: betcode worktree prune --yes", console.Count(found, "worktree"), console.Size(freed))
	}
	return view.Err
}
