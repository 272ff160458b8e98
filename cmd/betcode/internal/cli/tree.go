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

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/output"
	pb "betcode/proto/betcode/v1"
)

func (p *program) treeCommand() *cli.Command {
	return &cli.Command{
		Name: "tree", Usage: "show the actors of the daemon as they are now",
		Flags: output.Flags(),
		Action: p.Shows(0, 0, func(ctx context.Context, _ *cli.Context, cl *client.Client) (output.View, error) {
			tree, err := cl.Admin.GetTree(ctx, &pb.GetTreeRequest{})
			return output.View{Schema: "betcode.tree/v2", Value: tree, Name: "name", Text: func(w io.Writer, l output.Look) error {
				writeTree(w, tree, l.Style(), l.Now)
				return nil
			}}, err
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
