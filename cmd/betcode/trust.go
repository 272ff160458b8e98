package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/urfave/cli/v2"

	"betcode/actors"
	"betcode/cmd/betcode/internal/client"
	"betcode/config"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

func (p *program) trustCommand() *cli.Command {
	return &cli.Command{
		Name: "trust", Usage: "let the settings that a directory brings along count, and start sessions there", ArgsUsage: "[DIRECTORY]",
		Description: "A directory that brings .claude/settings.json, .claude/settings.local.json or .mcp.json along can allow tools and run\n" +
			"programs without asking you, so no session is started there before you have trusted it, once. What is below it is\n" +
			"trusted too. Look at the files first.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "list", Usage: "only list what is trusted"},
			&cli.BoolFlag{Name: "remove", Usage: "trust it no longer"},
		},
		Action: p.withClient(0, 1, p.trust),
	}
}

func (p *program) trust(ctx context.Context, c *cli.Context, cl *client.Client) error {
	request := &pb.TrustDirectoryRequest{Remove: c.Bool("remove")}
	if c.Bool("list") {
		if c.Args().Present() || c.Bool("remove") {
			return usageError{errors.New("--list takes nothing else")}
		}
	} else {
		var err error
		if request.Directory, err = filepath.Abs(c.Args().First()); err != nil {
			return err
		}
	}
	trusted, err := cl.Admin.TrustDirectory(ctx, request)
	if err != nil {
		return err
	}
	if !c.Bool("list") {
		if c.Bool("remove") {
			p.say("%s is no longer trusted; agents that run there keep what they have read.", request.GetDirectory())
		} else {
			p.say("%s is trusted, with what is below it.", request.GetDirectory())
		}
		return nil
	}
	for _, dir := range trusted.GetDirectories() {
		if _, err := fmt.Fprintln(p.stdout, dir); err != nil {
			return err
		}
	}
	return nil
}

// directories tells the actors what working directories bring along; it implements
// actors.Directories.
type directories struct {
	config, home string // directories; home may be empty
	settings     *liveSettings

	writing sync.Mutex // one change of the list after the other
}

// Rules implements actors.Directories. Settings that cannot be read have everything
// asked about: nobody knows what they forbid.
func (d *directories) Rules(directory string) []actors.Rules {
	list, err := config.ReadTrust(d.config)
	trusted := err == nil && list.Covers(directory)
	var all []actors.Rules
	for _, p := range config.ReadDirectoryPermissions(directory, d.home) {
		r := actors.Rules{Ask: p.Ask, Deny: p.Deny, Source: p.Path, Lines: p.Lines}
		if trusted {
			r.Allow = p.Allow
		}
		if p.Err != nil {
			r.Ask = []string{"*"}
		}
		all = append(all, r)
	}
	return all
}

// Untrusted implements actors.Directories.
func (d *directories) Untrusted(directory string) ([]string, error) {
	files := config.OwnSettings(directory, d.home)
	if len(files) == 0 {
		return nil, nil
	}
	list, err := config.ReadTrust(d.config)
	if err != nil || list.Covers(directory) {
		return nil, err
	}
	return files, nil
}

// Defaults implements actors.Directories. The settings of a directory count if it is
// trusted; one that is not has none that would need it, or starts no session.
func (d *directories) Defaults(directory string) actors.SessionDefaults {
	var files []*config.File
	if list, err := config.ReadTrust(d.config); err == nil && list.Covers(directory) {
		files = config.ReadDirectory(directory, d.home)
	}
	there := d.settings.get().In(files)
	out := actors.SessionDefaults{Model: there.Get("sessions.default_model").Text()}
	if policy := there.Get("resume.policy"); policy.Origin.OfDirectory() {
		out.Resume = messages.ResumePolicy(policy.Text())
	}
	return out
}

// Trust implements actors.Directories.
func (d *directories) Trust(directory string, trusted bool) ([]string, error) {
	d.writing.Lock()
	defer d.writing.Unlock()
	list, err := config.ReadTrust(d.config)
	if err != nil || directory == "" {
		return list.Directories, err
	}
	list = list.With(directory, trusted)
	return list.Directories, list.Write(d.config)
}
