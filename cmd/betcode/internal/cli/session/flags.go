package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/talk"
	"betcode/config"
	pb "betcode/proto/betcode/v1"
)

// Flags returns the flags that name a session or describe a new one.
func Flags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "session", Aliases: []string{"r"}, Usage: "continue `SESSION`: an id, its beginning, a name, or @last"},
		&cli.BoolFlag{Name: "continue", Aliases: []string{"c"}, Usage: "continue the latest session of this directory"},
		&cli.StringFlag{Name: "cwd", Usage: "`DIRECTORY` where the agent works (default: this one)"},
		&cli.StringFlag{Name: "worktree", Usage: "have the agent work in `WORKTREE`: an id, its beginning, or a name"},
		&cli.StringFlag{Name: "lease", Usage: "share the worktree as `MODE`: exclusive, shared or none (default)"},
		&cli.StringFlag{Name: "name", Usage: "`NAME` of the new session"},
		&cli.StringFlag{Name: "model", Aliases: []string{"m"}, Usage: "`MODEL` or alias"},
		&cli.StringFlag{Name: "permission-mode", Usage: "`MODE` of the agent: default, acceptEdits, plan, …"},
		&cli.BoolFlag{Name: "confirm-mode", Usage: "confirm --permission-mode without a question (for scripts)"},
		&cli.StringFlag{Name: "resume-policy", Usage: "`POLICY` for interrupted turns: auto, ask or never (default: that of the daemon)"},
		&cli.StringSliceFlag{Name: "allow-tools", Aliases: []string{"allowed-tools"}, Usage: "`TOOLS` that run without asking, for example 'Read,Bash(git *)'"},
		&cli.StringSliceFlag{Name: "deny-tools", Aliases: []string{"disallowed-tools"}, Usage: "`TOOLS` that never run"},
	}, append(budgetFlags(), optionFlags()...)...)
}

// Open reads the flags of [Flags]. For an existing session it asks the daemon for its state.
func Open(ctx context.Context, p *base.Program, c *cli.Context, cl *client.Client) (talk.Opening, error) {
	return group{p}.open(ctx, c, cl)
}

// OpenChat is [Open] for a chat: a new session without a name is discarded if it gets no message.
func OpenChat(ctx context.Context, p *base.Program, c *cli.Context, cl *client.Client) (talk.Opening, error) {
	o, err := Open(ctx, p, c, cl)
	if err == nil && o.Start.GetSessionId() == "" {
		o.Start.DiscardUnused = o.Start.GetName() == ""
	}
	return o, err
}

func (p group) open(ctx context.Context, c *cli.Context, cl *client.Client) (talk.Opening, error) {
	dir, err := WorkingDirectory(c.String("cwd"))
	if err != nil {
		return talk.Opening{}, err
	}
	worktree := ""
	if c.String("worktree") != "" {
		w, err := cl.Worktree.GetWorktree(ctx, &pb.GetWorktreeRequest{WorktreeId: c.String("worktree")})
		if err != nil {
			return talk.Opening{}, err
		}
		worktree = w.GetId()
		if !c.IsSet("cwd") {
			dir = w.GetPath()
		}
	}
	ref := c.String("session")
	if c.Bool("continue") {
		if ref != "" {
			return talk.Opening{}, exit.Usage(errors.New("--continue and --session contradict each other: leave one of them out"))
		}
		if ref, err = latest(ctx, cl, dir); err != nil {
			return talk.Opening{}, err
		}
	}
	if ref == "" {
		options, err := p.options(c)
		if err != nil {
			return talk.Opening{}, err
		}
		lock, err := lockOf(c)
		if err != nil {
			return talk.Opening{}, err
		}
		budget, err := p.budget(c)
		if err != nil {
			return talk.Opening{}, err
		}
		return talk.Opening{Directory: dir, Start: &pb.StartConversation{
			Options: options, Budget: budget,
			WorkingDirectory: dir, WorktreeId: worktree, WorktreeLock: lock, Name: c.String("name"), Model: c.String("model"),
			PermissionMode: c.String("permission-mode"), ConfirmMode: c.Bool("confirm-mode"), ResumePolicy: c.String("resume-policy"),
			AllowedTools: tools(c.StringSlice("allow-tools")), DeniedTools: tools(c.StringSlice("deny-tools")), Environment: p.environment(c),
		}}, nil
	}
	for _, flag := range append([]string{"name", "worktree", "lease", "resume-policy", "allow-tools", "deny-tools", "budget", "budget-tokens", "budget-time"}, optionNames()...) {
		if c.IsSet(flag) {
			return talk.Opening{}, exit.Usage(fmt.Errorf("--%s is for a new session; this one exists", flag))
		}
	}
	view, err := base.ShowSession(ctx, cl, ref)
	if err != nil {
		return talk.Opening{}, err
	}
	o := talk.Opening{
		Start: &pb.StartConversation{SessionId: view.GetSummary().GetId()}, Head: view.GetHead(),
		Directory: view.GetSummary().GetWorkingDirectory(),
	}
	if c.String("model") != "" || c.String("permission-mode") != "" {
		o.Changes = &pb.SessionSettingsChange{Model: c.String("model"), PermissionMode: c.String("permission-mode"), ConfirmMode: c.Bool("confirm-mode")}
	}
	return o, nil
}

// environment returns the variables that a new session keeps of this command's environment, so that its agents find the
// same tools. The daemon reports mistakes in the settings.
func (p group) environment(c *cli.Context) map[string]string {
	settings, _ := config.Load(config.Flags{config.ConfigDirFlag: c.String(config.ConfigDirFlag)}, p.World)
	return settings.Daemon().AgentEnvironment.Kept(os.Environ())
}

// WorkingDirectory returns the directory where the agent works.
func WorkingDirectory(flag string) (string, error) {
	dir, err := filepath.Abs(flag) // "" is the working directory
	if err != nil {
		return "", fmt.Errorf("find working directory: %w; if it was deleted, change to one that exists", err)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", exit.Usage(fmt.Errorf("--cwd %s is not a directory", dir))
	}
	return dir, nil
}

// latest returns the session of dir that changed last.
func latest(ctx context.Context, cl *client.Client, dir string) (string, error) {
	list, err := cl.Agent.ListSessions(ctx, &pb.ListSessionsRequest{WorkingDirectory: dir, Limit: 1})
	if err != nil {
		return "", err
	}
	if len(list.GetSessions()) == 0 {
		return "", exit.With(exit.NotFound, fmt.Errorf("continue session: there is none in %s; leave --continue out to start one", dir))
	}
	return list.GetSessions()[0].GetId(), nil
}

// tools splits lists of tools at commas, except within the parentheses of a rule.
func tools(given []string) []string {
	var out []string
	for _, list := range given {
		depth := 0
		for _, tool := range strings.FieldsFunc(list, func(r rune) bool {
			switch r {
			case '(':
				depth++
			case ')':
				depth = max(depth-1, 0)
			}
			return r == ',' && depth == 0
		}) {
			out = append(out, strings.TrimSpace(tool))
		}
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}
