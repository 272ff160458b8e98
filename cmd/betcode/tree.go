package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	pb "betcode/proto/betcode/v1"
)

func (p *program) treeCommand() *cli.Command {
	return &cli.Command{
		Name: "tree", Usage: "show the actors of the daemon as they are now",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "as JSON"}},
		Action: p.withClient(0, 0, func(ctx context.Context, c *cli.Context, cl *client.Client) error {
			tree, err := cl.Admin.GetTree(ctx, &pb.GetTreeRequest{})
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return writeJSON(p.stdout, "betcode.tree/v1", tree)
			}
			writeTree(p.stdout, tree, style(p.terminal.colour), time.Now())
			return nil
		}),
	}
}

// writeTree draws the tree: state, restarts, what is left of a backoff, the last
// error. What is as it should be is not mentioned.
func writeTree(w io.Writer, n *pb.TreeNode, s style, now time.Time) {
	fmt.Fprintln(w, describe(n, s, now))
	writeChildren(w, n.GetChildren(), "", s, now)
}

func writeChildren(w io.Writer, children []*pb.TreeNode, indent string, s style, now time.Time) {
	for i, child := range children {
		branch, below := "├── ", "│   "
		if i == len(children)-1 {
			branch, below = "└── ", "    "
		}
		fmt.Fprintln(w, s.dim(indent+branch)+describe(child, s, now))
		writeChildren(w, child.GetChildren(), indent+below, s, now)
	}
}

func describe(n *pb.TreeNode, s style, now time.Time) string {
	words := []string{s.bold(printableLine(n.GetName())), paintState(n.GetState(), s)}
	if n.GetRestarts() > 0 {
		words = append(words, s.yellow(fmt.Sprintf("restarts=%d", n.GetRestarts())))
	}
	if n.GetBackoffMsLeft() > 0 {
		left := time.Duration(n.GetBackoffMsLeft()) * time.Millisecond
		words = append(words, s.yellow("backoff="+left.Round(100*time.Millisecond).String()))
	}
	if n.GetMailbox() > 0 {
		words = append(words, fmt.Sprintf("mailbox=%d", n.GetMailbox()))
	}
	details := n.GetDetails()
	for _, key := range slices.Sorted(maps.Keys(details)) {
		words = append(words, s.dim(printableLine(key+"="+details[key])))
	}
	if n.GetStartedAt() != nil {
		words = append(words, s.dim("up "+span(max(now.Sub(n.GetStartedAt().AsTime()), 0))))
	}
	if n.GetLastError() != "" {
		words = append(words, s.red("error: "+shorten(printableLine(n.GetLastError()), 120)))
	}
	return strings.Join(words, "  ")
}

func paintState(state string, s style) string {
	switch state {
	case "running", "":
		return s.green(state)
	case "stopped":
		return s.dim(state)
	case "gave up":
		return s.red(state)
	default:
		return s.yellow(state)
	}
}
