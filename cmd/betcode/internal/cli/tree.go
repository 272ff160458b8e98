package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

func (p *program) treeCommand() *cli.Command {
	return &cli.Command{
		Name: "tree", Usage: "show the actors of the daemon as they are now",
		Flags: []cli.Flag{base.JSONFlag()},
		Action: p.WithClient(0, 0, func(ctx context.Context, c *cli.Context, cl *client.Client) error {
			tree, err := cl.Admin.GetTree(ctx, &pb.GetTreeRequest{})
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return console.WriteJSON(p.Stdout, "betcode.tree/v1", tree)
			}
			writeTree(p.Stdout, tree, console.Style(p.Terminal.Colour), time.Now())
			return nil
		}),
	}
}

// writeTree draws the tree: state, and, where there is one, restarts, the rest of a backoff and the last error.
func writeTree(w io.Writer, n *pb.TreeNode, s console.Style, now time.Time) {
	fmt.Fprintln(w, describe(n, s, now))
	writeChildren(w, n.GetChildren(), "", s, now)
}

func writeChildren(w io.Writer, children []*pb.TreeNode, indent string, s console.Style, now time.Time) {
	for i, child := range children {
		branch, below := "├── ", "│   "
		if i == len(children)-1 {
			branch, below = "└── ", "    "
		}
		fmt.Fprintln(w, s.Dim(indent+branch)+describe(child, s, now))
		writeChildren(w, child.GetChildren(), indent+below, s, now)
	}
}

func describe(n *pb.TreeNode, s console.Style, now time.Time) string {
	words := []string{s.Bold(console.Line(n.GetName())), paintState(n.GetState(), s)}
	if n.GetRestarts() > 0 {
		words = append(words, s.Yellow(fmt.Sprintf("restarts=%d", n.GetRestarts())))
	}
	if n.GetBackoffMsLeft() > 0 {
		left := time.Duration(n.GetBackoffMsLeft()) * time.Millisecond
		words = append(words, s.Yellow("backoff="+left.Round(100*time.Millisecond).String()))
	}
	if n.GetMailbox() > 0 {
		words = append(words, fmt.Sprintf("mailbox=%d", n.GetMailbox()))
	}
	details := n.GetDetails()
	for _, key := range slices.Sorted(maps.Keys(details)) {
		words = append(words, s.Dim(console.Line(key+"="+details[key])))
	}
	if n.GetStartedAt() != nil {
		words = append(words, s.Dim("up "+console.Span(max(now.Sub(n.GetStartedAt().AsTime()), 0))))
	}
	if n.GetLastError() != "" {
		words = append(words, s.Red("error: "+console.Shorten(console.Line(n.GetLastError()), 120)))
	}
	return strings.Join(words, "  ")
}

func paintState(state string, s console.Style) string {
	switch state {
	case "running", "":
		return s.Green(state)
	case "stopped":
		return s.Dim(state)
	case "gave up":
		return s.Red(state)
	default:
		return s.Yellow(state)
	}
}
