package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/output"
	"betcode/messages/visible"
	pb "betcode/proto/betcode/v1"
)

func (p *program) worktreeCommand() *cli.Command {
	repoFlag := &cli.StringFlag{Name: "repo", Usage: "`DIRECTORY` of the repository (default: this one)"}
	return &cli.Command{
		Name: "worktree", Usage: "create, list, show, switch, set up and remove git worktrees for sessions",
		Description: "WORKTREE is an id, the beginning of one, or a name.\n" +
			"The feature has to be on: betcode config set feature_flags.worktree_management true",
		Subcommands: []*cli.Command{
			{
				Name: "create", Usage: "check a branch out in a directory of its own", ArgsUsage: "BRANCH",
				Description: "The directory is <repository>-<name> beside the repository. Hooks of git do not run.",
				Flags: append([]cli.Flag{
					&cli.BoolFlag{Name: "create-branch", Aliases: []string{"b"}, Usage: "the branch is new"},
					&cli.StringFlag{Name: "base", Usage: "begin the new branch at `REVISION` (default: what is checked out here)"},
					&cli.StringFlag{Name: "name", Usage: "`NAME` of the worktree (default: the branch, with dashes for slashes)"},
					&cli.StringFlag{Name: "path", Usage: "`DIRECTORY` to create"},
					repoFlag,
				}, output.OnceFlags()...),
				Action: p.WithClient(1, 1, p.createWorktree),
			},
			{
				Name: "list", Aliases: []string{"ls"}, Usage: "list the worktrees of a repository, oldest first; * marks the active one",
				Flags: append([]cli.Flag{
					&cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "worktrees of all repositories"}, repoFlag,
				}, output.ListFlags()...),
				Action: p.Shows(0, 0, p.listWorktrees),
			},
			{
				Name: "show", Usage: "show everything about a worktree", ArgsUsage: "WORKTREE",
				Flags: output.Flags(), Action: p.Shows(1, 1, p.showWorktree),
			},
			{
				Name: "switch", Usage: "make a worktree the active one of its repository and print its directory", ArgsUsage: "WORKTREE",
				Flags: output.OnceFlags(), Action: p.WithClient(1, 1, p.switchWorktree),
			},
			{
				Name: "setup", Usage: "run the setup of a worktree again and show what it writes", ArgsUsage: "WORKTREE",
				Description: "The setup is .betcode/worktree-setup.sh of the repository, or worktree.setup_commands of the settings.\n" +
					"It runs in the worktree if you trust that directory ('betcode trust'), and goes on if this command ends first.",
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "cancel", Usage: "end the setup that runs, with all that it has started"},
					&cli.BoolFlag{Name: "watch", Usage: "show the setup that runs, or the last one, and start none"},
				},
				Action: p.WithClient(1, 1, p.setUpWorktree),
			},
			{
				Name: "prune", Usage: "list unused worktrees, and remove them with --yes; branches are kept",
				Description: "A worktree is unused if its directory is gone (stale), or if it was not used for --days, has no lease, and holds no work:\n" +
					"no changed or untracked files, and no commits that are only there. Its sessions stay, with their history, but cannot go on.",
				Flags: append([]cli.Flag{
					&cli.IntFlag{Name: "days", Usage: "those not used for `N` days", Value: pruneDays},
					&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "remove them"},
					&cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "worktrees of all repositories"}, repoFlag,
				}, output.OnceFlags()...),
				Action: p.WithClient(0, 0, p.pruneWorktrees),
			},
			{
				Name: "remove", Aliases: []string{"rm"}, Usage: "stop the agents in a worktree and remove its directory; the branch stays", ArgsUsage: "WORKTREE",
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "remove it even if changed files or unpushed commits are lost"},
					&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "with --force: do not ask"},
				},
				Action: p.WithClient(1, 1, p.removeWorktree),
			},
		},
	}
}

// repository returns the directory whose repository a command is about.
func repository(c *cli.Context) (string, error) {
	dir, err := filepath.Abs(c.String("repo")) // "" is the working directory
	if err != nil {
		return "", fmt.Errorf("find the repository: %w", err)
	}
	return dir, nil
}

func (p *program) createWorktree(ctx context.Context, c *cli.Context, cl *client.Client) error {
	dir, err := repository(c)
	if err != nil {
		return err
	}
	request := &pb.CreateWorktreeRequest{
		RepoPath: dir, Branch: c.Args().First(), Name: c.String("name"), CreateBranch: c.Bool("create-branch"), Base: c.String("base"),
	}
	if path := c.String("path"); path != "" {
		if request.Path, err = filepath.Abs(path); err != nil {
			return fmt.Errorf("find the directory: %w", err)
		}
	}
	w, err := cl.Worktree.CreateWorktree(ctx, request)
	if err != nil {
		return err
	}
	if w, err = p.awaitSetup(ctx, cl, w); err != nil {
		return err
	}
	view, called := worktreeView(w), p.callsWorktree(ctx, cl, w)
	view.Text = func(out io.Writer, _ output.Look) error {
		if problem := setupProblem(w, called); problem != "" {
			p.Say("%s", problem)
		}
		p.Say("Worktree %s has branch %s. Work in it: betcode chat --worktree %s", console.Line(w.GetName()), console.Line(w.GetBranch()), called)
		_, err := fmt.Fprintln(out, console.Line(w.GetPath()))
		return err
	}
	return p.Show(c, view)
}

// callsWorktree returns what a person calls a worktree by: its name, or the beginning of its id if another repository has one of that
// name.
func (p *program) callsWorktree(ctx context.Context, cl *client.Client, w *pb.WorktreeInfo) string {
	found, err := cl.Worktree.GetWorktree(ctx, &pb.GetWorktreeRequest{WorktreeId: w.GetName()})
	if err != nil || found.GetId() != w.GetId() {
		return console.ShortID(w.GetId())
	}
	return visible.ShellWord(console.Line(w.GetName()))
}

func (p *program) listWorktrees(ctx context.Context, c *cli.Context, cl *client.Client) (output.View, error) {
	request := &pb.ListWorktreesRequest{}
	if !c.Bool("all") {
		dir, err := repository(c)
		if err != nil {
			return output.View{}, err
		}
		request.RepoPath = dir
	}
	list, err := cl.Worktree.ListWorktrees(ctx, request)
	columns := console.Columns("", "ID", "NAME", "BRANCH", "STATE", "WORK", "SESSIONS", "LEASES", "PATH")
	for _, title := range []string{"SIZE", "SETUP", "USED"} {
		columns = append(columns, console.Column{Title: title, Wide: true})
	}
	return output.View{
		Schema: "betcode.worktree.list/v2", Value: list, List: "worktrees", Columns: columns,
		Row: func(i int, l output.Look) []string {
			w, mark := list.GetWorktrees()[i], ""
			if w.GetActive() {
				mark = "*"
			}
			return []string{
				mark, console.ShortID(w.GetId()), w.GetName(), w.GetBranch(), worktreeState(w), workLine(w.GetWork()), fmt.Sprint(w.GetSessionCount()),
				leasesLine(w.GetLeases()), w.GetPath(), sizeLine(l, w.GetWork()), setupLine(w), l.When(w.GetLastUsed()),
			}
		},
	}, err
}

// sizeLine is the size of a worktree's files, with a plus if not all of them were seen.
func sizeLine(l output.Look, w *pb.WorktreeWork) string {
	size := ""
	if w != nil {
		size = l.Bytes(w.GetDiskBytes())
	}
	if w.GetDiskBytesPartial() {
		size += "+"
	}
	return size
}

func worktreeState(w *pb.WorktreeInfo) string { return console.Enum(w.GetState(), "WORKTREE_STATE_") }

// workLine describes briefly how a worktree differs from its committed and pushed state.
func workLine(w *pb.WorktreeWork) string {
	if w == nil {
		return "unknown"
	}
	var parts []string
	for _, part := range []struct {
		n    uint32
		what string
	}{{w.GetChangedFiles(), "changed"}, {w.GetUntrackedFiles(), "untracked"}, {w.GetUnpushed(), "unpushed"}, {w.GetAhead(), "ahead"}, {w.GetBehind(), "behind"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	if len(parts) == 0 {
		return "clean"
	}
	return strings.Join(parts, ", ")
}

// leasesLine lists the leases of a worktree.
func leasesLine(leases []*pb.WorktreeLease) string {
	var parts []string
	for _, l := range leases {
		part := console.Enum(l.GetLock(), "WORKTREE_LOCK_") + " " + console.ShortID(l.GetSessionId())
		if l.GetState() != pb.WorktreeLeaseState_WORKTREE_LEASE_STATE_HELD {
			part += " (" + console.Enum(l.GetState(), "WORKTREE_LEASE_STATE_") + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

func (p *program) showWorktree(ctx context.Context, c *cli.Context, cl *client.Client) (output.View, error) {
	w, err := cl.Worktree.GetWorktree(ctx, &pb.GetWorktreeRequest{WorktreeId: c.Args().First()})
	return worktreeView(w), err
}

func worktreeView(w *pb.WorktreeInfo) output.View {
	return output.View{Schema: "betcode.worktree/v2", Value: w, Text: func(out io.Writer, l output.Look) error { return writeWorktree(out, l, w) }}
}

func writeWorktree(out io.Writer, l output.Look, w *pb.WorktreeInfo) error {
	t := l.Sheet()
	for _, row := range [][2]string{
		{"id", w.GetId()},
		{"name", w.GetName()},
		{"path", w.GetPath()},
		{"repository", w.GetRepoPath()},
		{"branch", w.GetBranch()},
		{"commit", w.GetWork().GetCommit()},
		{"upstream", w.GetWork().GetUpstream()},
		{"state", worktreeState(w)},
		{"work", workLine(w.GetWork())},
		{"created", l.When(w.GetCreatedAt())},
		{"last used", l.When(w.GetLastUsed())},
		{"sessions", fmt.Sprint(w.GetSessionCount())},
		{"last session", w.GetActiveSessionId()},
		{"leases", leasesLine(w.GetLeases())},
		{"setup", setupLine(w)},
		{"setup wrote", w.GetSetup().GetOutput()},
	} {
		if row[1] != "" {
			t.Add(row[0], row[1])
		}
	}
	return t.Write(out)
}

func (p *program) switchWorktree(ctx context.Context, c *cli.Context, cl *client.Client) error {
	answer, err := cl.Worktree.SwitchWorktree(ctx, &pb.SwitchWorktreeRequest{WorktreeId: c.Args().First()})
	if err != nil {
		return err
	}
	return p.Show(c, output.View{Schema: "betcode.worktree.switch/v2", Value: answer, Text: func(out io.Writer, _ output.Look) error {
		w := answer.GetWorktree()
		next := "betcode chat --worktree " + p.callsWorktree(ctx, cl, w)
		if session := w.GetActiveSessionId(); session != "" {
			next = "betcode attach " + console.ShortID(session)
		}
		p.Say("Worktree %s is active. Go on: %s", console.Line(w.GetName()), next)
		_, err := fmt.Fprintln(out, console.Line(w.GetPath()))
		return err
	}})
}

func (p *program) removeWorktree(ctx context.Context, c *cli.Context, cl *client.Client) error {
	reference := c.Args().First()
	if c.Bool("force") && !c.Bool("yes") {
		if !p.Attended() {
			return exit.Usage(errors.New("standard input is not a terminal; to remove changed files and unpushed commits without being asked, add --yes"))
		}
		w, err := cl.Worktree.GetWorktree(ctx, &pb.GetWorktreeRequest{WorktreeId: reference})
		if err != nil {
			return err
		}
		if !p.Confirm(fmt.Sprintf("Remove %s (%s)? What is lost does not come back.", console.Line(w.GetPath()), workLine(w.GetWork())), false) {
			return nil
		}
		reference = w.GetId()
	}
	answer, err := cl.Worktree.RemoveWorktree(ctx, &pb.RemoveWorktreeRequest{WorktreeId: reference, Force: c.Bool("force")})
	if err != nil {
		return err
	}
	p.Say("Removed; %s stopped.", console.Count(answer.GetSessionsClosed(), "agent"))
	return nil
}
