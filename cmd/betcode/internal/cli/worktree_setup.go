package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/messages/visible"
	pb "betcode/proto/betcode/v1"
)

func setupLine(w *pb.WorktreeInfo) string {
	if w.GetSetup() == nil {
		return ""
	}
	return console.Enum(w.GetSetup().GetStatus(), "WORKTREE_SETUP_STATUS_")
}

// awaitSetup prints the output of a worktree's setup until it has ended, on standard error.
func (p *program) awaitSetup(ctx context.Context, cl *client.Client, w *pb.WorktreeInfo) (*pb.WorktreeInfo, error) {
	if !setupRuns(w) {
		return w, nil
	}
	p.Say("The setup of %s runs. Ctrl-C leaves it running.", console.Line(w.GetName()))
	if err := p.watchSetup(ctx, cl, w.GetId()); err != nil {
		if ctx.Err() != nil {
			p.Say("The setup goes on. Watch it: betcode worktree setup --watch %s\nCancel it: betcode worktree setup --cancel %s", console.ShortID(w.GetId()), console.ShortID(w.GetId()))
		}
		return w, err
	}
	return cl.Worktree.GetWorktree(ctx, &pb.GetWorktreeRequest{WorktreeId: w.GetId()})
}

// watchSetup writes the output of a setup to standard error until it has ended.
func (p *program) watchSetup(ctx context.Context, cl *client.Client, worktree string) error {
	stream, err := cl.Worktree.WatchWorktreeSetup(ctx, &pb.WatchWorktreeSetupRequest{WorktreeId: worktree})
	if err != nil {
		return err
	}
	seen := uint64(0)
	for {
		event, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if event.GetOffset() > seen {
			p.Say("… %s are not shown", p.Bytes(event.GetOffset()-seen))
		}
		seen = event.GetOffset() + uint64(len(event.GetOutput()))
		fmt.Fprint(p.Stderr, console.Text(strings.ToValidUTF8(string(event.GetOutput()), "?")))
	}
}

func setupRuns(w *pb.WorktreeInfo) bool {
	return w.GetSetup().GetStatus() == pb.WorktreeSetupStatus_WORKTREE_SETUP_STATUS_RUNNING
}

// setupProblem returns the reason why a worktree is not prepared; empty if it is, or needs no
// setup.
func setupProblem(w *pb.WorktreeInfo, called string) string {
	switch w.GetSetup().GetStatus() {
	case pb.WorktreeSetupStatus_WORKTREE_SETUP_STATUS_FAILED, pb.WorktreeSetupStatus_WORKTREE_SETUP_STATUS_TIMEOUT,
		pb.WorktreeSetupStatus_WORKTREE_SETUP_STATUS_CANCELED:
		return "The setup ended: " + setupLine(w) + ". Run it again: betcode worktree setup " + called
	case pb.WorktreeSetupStatus_WORKTREE_SETUP_STATUS_NOT_TRUSTED:
		return "The setup did not run, because the worktree is not trusted. Look at it (betcode trust " + visible.ShellWord(console.Line(w.GetPath())) +
			"), then: betcode worktree setup " + called
	default:
		return ""
	}
}

func (p *program) setUpWorktree(ctx context.Context, c *cli.Context, cl *client.Client) error {
	reference := c.Args().First()
	var w *pb.WorktreeInfo
	var err error
	switch {
	case c.Bool("cancel") && c.Bool("watch"):
		return exit.Usage(errors.New("--cancel and --watch exclude each other"))
	case c.Bool("cancel"):
		if w, err = cl.Worktree.CancelWorktreeSetup(ctx, &pb.CancelWorktreeSetupRequest{WorktreeId: reference}); err == nil {
			p.Say("The setup of %s was ended: %s.", console.Line(w.GetName()), setupLine(w))
		}
		return err
	case c.Bool("watch"):
		if err := p.watchSetup(ctx, cl, reference); err != nil {
			return err
		}
		w, err = cl.Worktree.GetWorktree(ctx, &pb.GetWorktreeRequest{WorktreeId: reference})
	default:
		if w, err = cl.Worktree.SetupWorktree(ctx, &pb.SetupWorktreeRequest{WorktreeId: reference}); err == nil {
			w, err = p.awaitSetup(ctx, cl, w)
		}
	}
	if err != nil {
		return err
	}
	if problem := setupProblem(w, p.callsWorktree(ctx, cl, w)); problem != "" {
		return errors.New(problem)
	}
	if w.GetSetup() == nil {
		p.Say("No setup of %s has run.", console.Line(w.GetName()))
		return nil
	}
	p.Say("The setup of %s ended well.", console.Line(w.GetName()))
	return nil
}
