package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/output"
	pb "betcode/proto/betcode/v1"
)

func (p *program) repoCommand() *cli.Command {
	placeFlags := append([]cli.Flag{
		&cli.StringFlag{Name: "name", Usage: "`NAME` of the repository (default: that of its directory)"},
		&cli.StringFlag{Name: "mode", Usage: "make worktrees in `PLACE`: global (~/betcode-worktrees), local (in the repository) or custom (default: beside the repository)"},
		&cli.StringFlag{Name: "subfolder", Usage: "with local: `DIRECTORY` in the repository (default: .worktrees)"},
		&cli.StringFlag{Name: "path", Usage: "with custom: `DIRECTORY`"},
		&cli.BoolFlag{Name: "ignore", Usage: "with local: have git ignore the directory (.git/info/exclude)"},
	}, output.OnceFlags()...)
	return &cli.Command{
		Name: "repo", Usage: "register, list, show, find, change and remove repositories, and their branches",
		Description: "REPOSITORY is an id, the beginning of one, a name, or a path. Removing one leaves its files alone.\n" +
			"The feature has to be on: betcode config set feature_flags.worktree_management true",
		Subcommands: []*cli.Command{
			{
				Name: "add", Usage: "register a repository", ArgsUsage: "[DIRECTORY]", Flags: placeFlags, Action: p.WithClient(0, 1, p.addRepo),
			},
			{
				Name: "list", Aliases: []string{"ls"}, Usage: "list the registered repositories", Flags: output.ListFlags(), Action: p.Shows(0, 0, p.listRepos),
			},
			{
				Name: "show", Usage: "show a repository", ArgsUsage: "REPOSITORY", Flags: output.Flags(), Action: p.Shows(1, 1, p.showRepo),
			},
			{
				Name: "update", Usage: "change where the worktrees of a repository are made", ArgsUsage: "REPOSITORY", Flags: placeFlags, Action: p.WithClient(1, 1, p.updateRepo),
			},
			{
				Name: "scan", Usage: "find repositories below a directory and register them", ArgsUsage: "DIRECTORY",
				Flags:  append(output.ListFlags(), &cli.UintFlag{Name: "depth", Usage: "`N` levels below it, at most 10", Value: 3}),
				Action: p.Shows(1, 1, p.scanRepos),
			},
			{
				Name: "remove", Aliases: []string{"rm"}, Usage: "remove a repository from the list; its files stay", ArgsUsage: "REPOSITORY",
				Flags:  []cli.Flag{&cli.BoolFlag{Name: "worktrees", Usage: "remove its worktrees first, unless work would be lost"}},
				Action: p.WithClient(1, 1, p.removeRepo),
			},
			p.branchesCommand(),
		},
	}
}

// modeFlag reads --mode.
func modeFlag(c *cli.Context) (pb.WorktreeMode, error) {
	if c.String("mode") == "" {
		return 0, nil
	}
	mode, known := pb.WorktreeMode_value["WORKTREE_MODE_"+strings.ToUpper(c.String("mode"))]
	if !known || mode == 0 {
		return 0, exit.Usage(fmt.Errorf("--mode %s is unknown: use global, local or custom", console.Line(c.String("mode"))))
	}
	return pb.WorktreeMode(mode), nil
}

// pathFlag reads --path.
func pathFlag(c *cli.Context) (string, error) {
	if c.String("path") == "" {
		return "", nil
	}
	path, err := filepath.Abs(c.String("path"))
	if err != nil {
		return "", fmt.Errorf("find the directory: %w", err)
	}
	return path, nil
}

func (p *program) addRepo(ctx context.Context, c *cli.Context, cl *client.Client) error {
	dir, err := filepath.Abs(c.Args().First()) // "" is the working directory
	if err != nil {
		return fmt.Errorf("find the repository: %w", err)
	}
	r := &pb.RegisterRepoRequest{RepoPath: dir, Name: c.String("name"), LocalSubfolder: c.String("subfolder"), AutoGitignore: c.Bool("ignore")}
	if r.WorktreeMode, err = modeFlag(c); err != nil {
		return err
	}
	if r.CustomPath, err = pathFlag(c); err != nil {
		return err
	}
	repo, err := cl.Repo.RegisterRepo(ctx, r)
	if err != nil {
		return err
	}
	return p.Show(c, repoView(repo))
}

func (p *program) updateRepo(ctx context.Context, c *cli.Context, cl *client.Client) error {
	r := &pb.UpdateRepoRequest{Id: c.Args().First()}
	for name, field := range map[string]**string{"name": &r.Name, "subfolder": &r.LocalSubfolder} {
		if c.IsSet(name) {
			value := c.String(name)
			*field = &value
		}
	}
	if c.IsSet("path") {
		path, err := pathFlag(c)
		if err != nil {
			return err
		}
		r.CustomPath = &path
	}
	if c.IsSet("mode") {
		mode, err := modeFlag(c)
		if err != nil {
			return err
		}
		r.WorktreeMode = &mode
	}
	if c.IsSet("ignore") {
		ignore := c.Bool("ignore")
		r.AutoGitignore = &ignore
	}
	repo, err := cl.Repo.UpdateRepo(ctx, r)
	if err != nil {
		return err
	}
	return p.Show(c, repoView(repo))
}

func (p *program) showRepo(ctx context.Context, c *cli.Context, cl *client.Client) (output.View, error) {
	repo, err := cl.Repo.GetRepo(ctx, &pb.GetRepoRequest{Id: c.Args().First()})
	return repoView(repo), err
}

func repoView(r *pb.GitRepoDetail) output.View {
	return output.View{Schema: "betcode.repo/v1", Value: r, Text: func(w io.Writer, l output.Look) error { return writeRepo(w, l, r) }}
}

func writeRepo(w io.Writer, l output.Look, r *pb.GitRepoDetail) error {
	t := l.Sheet()
	for _, row := range [][2]string{
		{"id", r.GetId()},
		{"name", r.GetName()},
		{"path", r.GetRepoPath()},
		{"worktrees in", repoPlace(r)},
		{"worktrees", fmt.Sprint(r.GetWorktreeCount())},
		{"registered", l.When(r.GetCreatedAt())},
		{"last active", l.When(r.GetLastActive())},
	} {
		t.Add(row[0], row[1])
	}
	return t.Write(w)
}

// repoPlace describes where worktrees of a repository are created.
func repoPlace(r *pb.GitRepoDetail) string {
	switch r.GetWorktreeMode() {
	case pb.WorktreeMode_WORKTREE_MODE_GLOBAL:
		return filepath.Join("~", "betcode-worktrees", r.GetName())
	case pb.WorktreeMode_WORKTREE_MODE_LOCAL:
		if r.GetLocalSubfolder() == "" {
			return filepath.Join(r.GetRepoPath(), ".worktrees")
		}
		return filepath.Join(r.GetRepoPath(), r.GetLocalSubfolder())
	case pb.WorktreeMode_WORKTREE_MODE_CUSTOM:
		return r.GetCustomPath()
	case pb.WorktreeMode_WORKTREE_MODE_UNSPECIFIED:
	}
	return filepath.Dir(r.GetRepoPath())
}

func (p *program) listRepos(ctx context.Context, _ *cli.Context, cl *client.Client) (output.View, error) {
	list, err := cl.Repo.ListRepos(ctx, &pb.ListReposRequest{})
	return reposView(list), err
}

func (p *program) scanRepos(ctx context.Context, c *cli.Context, cl *client.Client) (output.View, error) {
	dir, err := filepath.Abs(c.Args().First())
	if err != nil {
		return output.View{}, fmt.Errorf("find the directory: %w", err)
	}
	list, err := cl.Repo.ScanRepos(ctx, &pb.ScanReposRequest{ScanPath: dir, MaxDepth: uint32(min(c.Uint("depth"), 1000))})
	return reposView(list), err
}

func reposView(list *pb.ListReposResponse) output.View {
	return output.View{
		Schema: "betcode.repo.list/v1", Value: list, List: "repos", Columns: console.Columns("ID", "NAME", "WORKTREES", "PATH"),
		Row: func(i int, _ output.Look) []string {
			r := list.GetRepos()[i]
			return []string{console.ShortID(r.GetId()), r.GetName(), fmt.Sprint(r.GetWorktreeCount()), r.GetRepoPath()}
		},
	}
}

func (p *program) removeRepo(ctx context.Context, c *cli.Context, cl *client.Client) error {
	answer, err := cl.Repo.UnregisterRepo(ctx, &pb.UnregisterRepoRequest{Id: c.Args().First(), RemoveWorktrees: c.Bool("worktrees")})
	if err != nil {
		return err
	}
	p.Say("Removed from the list, with %s. The files of the repository stay.", console.Count(answer.GetWorktreesRemoved(), "worktree"))
	return nil
}
