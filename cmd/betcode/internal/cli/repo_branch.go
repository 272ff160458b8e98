package cli

import (
	"context"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/output"
	pb "betcode/proto/betcode/v1"
)

func (p *program) branchesCommand() *cli.Command {
	return &cli.Command{
		Name: "branches", Usage: "list, create and delete branches of a repository",
		Subcommands: []*cli.Command{
			{
				Name: "list", Aliases: []string{"ls"}, Usage: "list the branches of a repository; * marks the one of its main directory", ArgsUsage: "REPOSITORY",
				Flags:  append(output.ListFlags(), &cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "those of remotes too"}),
				Action: p.Shows(1, 1, p.listBranches),
			},
			{
				Name: "create", Usage: "create a branch", ArgsUsage: "REPOSITORY BRANCH",
				Flags:  []cli.Flag{&cli.StringFlag{Name: "base", Usage: "begin at `REVISION` (default: what is checked out in its main directory)"}},
				Action: p.WithClient(2, 2, p.createBranch),
			},
			{
				Name: "delete", Aliases: []string{"rm"}, Usage: "delete a branch whose commits are pushed or in another branch", ArgsUsage: "REPOSITORY BRANCH",
				Flags:  []cli.Flag{&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "although commits are lost"}},
				Action: p.WithClient(2, 2, p.deleteBranch),
			},
		},
	}
}

func (p *program) listBranches(ctx context.Context, c *cli.Context, cl *client.Client) (output.View, error) {
	list, err := cl.Repo.ListBranches(ctx, &pb.ListBranchesRequest{RepoId: c.Args().First(), IncludeRemote: c.Bool("all")})
	return output.View{
		Schema: "betcode.branch.list/v1", Value: list, List: "branches", Name: "name", Columns: console.Columns("", "BRANCH", "COMMIT", "SUBJECT"),
		Row: func(i int, _ output.Look) []string {
			b, mark := list.GetBranches()[i], ""
			switch {
			case b.GetIsHead():
				mark = "*"
			case b.GetHasWorktree():
				mark = "+"
			}
			return []string{mark, b.GetName(), console.ShortID(b.GetCommitSha()), b.GetCommitMessage()}
		},
	}, err
}

func (p *program) createBranch(ctx context.Context, c *cli.Context, cl *client.Client) error {
	b, err := cl.Repo.CreateBranch(ctx, &pb.CreateBranchRequest{RepoId: c.Args().Get(0), Name: c.Args().Get(1), StartPoint: c.String("base")})
	if err != nil {
		return err
	}
	p.Say("Branch %s is at %s.", console.Line(b.GetName()), console.ShortID(b.GetCommitSha()))
	return nil
}

func (p *program) deleteBranch(ctx context.Context, c *cli.Context, cl *client.Client) error {
	if _, err := cl.Repo.DeleteBranch(ctx, &pb.DeleteBranchRequest{RepoId: c.Args().Get(0), Name: c.Args().Get(1), Force: c.Bool("force")}); err != nil {
		return err
	}
	p.Say("Deleted.")
	return nil
}
