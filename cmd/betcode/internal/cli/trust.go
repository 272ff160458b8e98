package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/output"
	pb "betcode/proto/betcode/v1"
)

func (p *program) trustCommand() *cli.Command {
	return &cli.Command{
		Name: "trust", Usage: "review what a directory tells agents to run, and trust it", ArgsUsage: "[DIRECTORY]",
		Description: "Claude Code obeys settings, hooks, MCP servers, commands, skills and agents that it finds in its working directory,\n" +
			"in the directories above it, and in its git repository. Until you trust a directory, agents there run without all of\n" +
			"that. This command shows what would take effect, then asks. Trust is for the content you have seen: when a file\n" +
			"changes, agents run without it again until you have seen the difference.",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "list", Usage: "list trusted directories, with the flags of other lists, such as --json"},
			&cli.BoolFlag{Name: "remove", Usage: "no longer trust DIRECTORY"},
			&cli.BoolFlag{Name: "yes", Usage: "trust it without a question"},
		}, output.ListFlags()...),
		Action: p.WithClient(0, 1, p.trust),
	}
}

func (p *program) trust(ctx context.Context, c *cli.Context, cl *client.Client) error {
	if c.Bool("list") {
		if c.Args().Present() || c.Bool("remove") || c.Bool("yes") {
			return exit.Usage(errors.New("trust --list takes no directory and no --yes or --remove"))
		}
		return p.ShowLive(ctx, c, func() (output.View, error) { return trustedDirectories(ctx, cl) })
	}
	for _, flag := range output.ListFlags() {
		if name := flag.Names()[0]; c.IsSet(name) {
			return exit.Usage(fmt.Errorf("--%s goes with --list", name))
		}
	}
	directory, err := filepath.Abs(c.Args().First())
	if err != nil {
		return err
	}
	if c.Bool("remove") {
		if _, err := cl.Admin.TrustDirectory(ctx, &pb.TrustDirectoryRequest{Directory: directory, Remove: true}); err != nil {
			return err
		}
		p.Say("%s is no longer trusted. Agents that run there are restarted without its files before their next message.", console.Line(directory))
		return nil
	}
	return p.reviewAndTrust(ctx, cl, directory, c.Bool("yes"))
}

// trustedList are the trusted directories as programs read them.
type trustedList struct {
	Directories []trustedDirectory `json:"directories"`
}

type trustedDirectory struct {
	Directory string `json:"directory"` // absolute, behind symbolic links
}

func trustedDirectories(ctx context.Context, cl *client.Client) (output.View, error) {
	trusted, err := cl.Admin.TrustDirectory(ctx, &pb.TrustDirectoryRequest{})
	list := trustedList{Directories: []trustedDirectory{}}
	for _, directory := range trusted.GetDirectories() {
		list.Directories = append(list.Directories, trustedDirectory{directory})
	}
	return output.View{
		Schema: "betcode.trust.list/v1", Value: list, List: "directories", Name: "directory", Columns: console.Columns("DIRECTORY"),
		Row:   func(i int, _ output.Look) []string { return []string{list.Directories[i].Directory} },
		Empty: "No directory is trusted.",
	}, err
}

// reviewAndTrust shows what would take effect, asks the person, and trusts exactly that content.
func (p *program) reviewAndTrust(ctx context.Context, cl *client.Client, directory string, yes bool) error {
	answer, err := cl.Admin.TrustDirectory(ctx, &pb.TrustDirectoryRequest{Directory: directory, Inspect: true})
	if err != nil {
		return err
	}
	review := answer.GetReview()
	writeReview(p.Stdout, review, console.Style(p.Terminal.Colour))
	name := console.Line(review.GetDirectory())
	switch {
	case len(review.GetProblems()) > 0:
		return exit.With(exit.Failed, fmt.Errorf("%s cannot be trusted: %s", name, console.Line(review.GetProblems()[0])))
	case review.GetEmpty() && review.GetTrusted():
		return nil
	case review.GetTrusted():
		p.Say("%s is trusted with these files.", name)
		return nil
	case yes:
	case !p.Terminal.In:
		return exit.Usage(fmt.Errorf("standard input is not a terminal; to trust %s without being asked, add --yes", name))
	case !p.Confirm("Trust "+name+" with these files?", false):
		return exit.Silent(exit.Interrupted)
	}
	request := &pb.TrustDirectoryRequest{Directory: review.GetDirectory(), Digest: review.GetDigest()}
	if _, err := cl.Admin.TrustDirectory(ctx, request); err != nil {
		return err
	}
	p.Say("%s is trusted with these files. Agents that run there obey them from their next message on.", name)
	return nil
}

// writeReview prints the files that an agent would obey, and what has changed.
func writeReview(w io.Writer, review *pb.DirectoryReview, s console.Style) {
	name := console.Line(review.GetDirectory())
	if review.GetEmpty() && review.GetTrusted() {
		fmt.Fprintf(w, "There is nothing in %s that tells an agent what to run. Later files take effect after you have trusted them.\n", name)
		return
	}
	fmt.Fprintf(w, "An agent in %s would obey:\n", name)
	writeFindings(w, review.GetFindings(), s)
	for _, problem := range review.GetProblems() {
		fmt.Fprintf(w, "  %s %s\n", s.Red("problem"), console.Line(problem))
	}
	if len(review.GetChanges()) > 0 {
		fmt.Fprintln(w, "Changed since you trusted it:")
		writeFindings(w, review.GetChanges(), s)
	}
}

func writeFindings(w io.Writer, findings []*pb.DirectoryFinding, s console.Style) {
	file := ""
	for _, f := range findings {
		if f.GetPath() != file {
			file = f.GetPath()
			fmt.Fprintf(w, "  %s\n", s.Bold(console.Line(file)))
		}
		mark := f.GetMark()
		switch mark {
		case "+":
			mark = s.Green("+ ")
		case "-":
			mark = s.Red("- ")
		case "":
		default:
			mark += " "
		}
		fmt.Fprintf(w, "    %s%-8s %s\n", mark, f.GetKind(), console.Line(f.GetText()))
	}
}
