package settings

import (
	"context"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/config"
	pb "betcode/proto/betcode/v1"
)

// A running daemon reads changed files by itself. The command then asks the daemon for the result, because only the daemon
// knows its flags, its variables and its files.

// appliedPatience is how long the daemon may take to read a changed file; appliedPoll is how often the command asks.
const (
	appliedPatience = 2 * time.Second
	appliedPoll     = 20 * time.Millisecond
)

// applied prints for a person when changes of a file take effect, and what takes precedence over the file.
func (p group) applied(ctx context.Context, c *cli.Context, changes []config.Change, source config.Source) {
	var settings []*config.Setting
	for _, change := range changes {
		if s, err := config.Find(change.Name); err == nil {
			settings = append(settings, s)
		}
	}
	if source != config.FromUser || len(settings) == 0 {
		return // a directory's file takes effect for sessions started there
	}
	now, err := config.Load(base.DaemonSettings(c), p.World)
	if err != nil {
		return // the command has reported it
	}
	inFiles, err := config.Load(base.DaemonSettings(c), withoutVariables(p.World, settings))
	if err != nil {
		return
	}
	running, ok := p.runningValues(ctx, c, inFiles, settings)
	for _, s := range settings {
		file := now.Get(s.Name)
		if ok { // the variables of this command are not those of the daemon
			file = inFiles.Get(s.Name)
		}
		p.Say("%s", appliedText(s, file, running[s.Name], ok))
	}
}

// withoutVariables returns an environment in which no variable gives these settings a value.
func withoutVariables(world config.Environment, settings []*config.Setting) config.Environment {
	getenv := world.Getenv
	world.Getenv = func(name string) string {
		for _, s := range settings {
			if s.Env == name {
				return ""
			}
		}
		return getenv(name)
	}
	return world
}

// appliedText returns the result of one change. running is the daemon's value, if a daemon runs.
func appliedText(s *config.Setting, file config.Value, running *pb.SettingValue, runs bool) string {
	origin := config.Origin{Source: config.Source(running.GetSource()), Name: running.GetOrigin(), Line: int(running.GetLine())}
	overridden := origin.Source == config.FromFlag || origin.Source == config.FromEnvironment
	switch {
	case runs && overridden:
		return s.Name + " has no effect on the running daemon: it was started with " + origin.String() + ", which takes precedence. It is still " + valueText(s, running.GetValue()) + "."
	case !runs && file.Origin.Source == config.FromEnvironment:
		return s.Name + " takes effect with the next daemon, unless it has " + file.Origin.String() + ", which is set here and takes precedence."
	case !runs:
		return s.Name + " takes effect when a daemon starts."
	case running.GetValue() != file.Public():
		return s.Name + " is not read by the running daemon yet; it is still " + valueText(s, running.GetValue()) + ". Look again: betcode config get " + s.Name
	case running.GetRestartNeeded():
		return s.Name + " will be " + valueText(s, running.GetValue()) + ": " + keptText(s, running.GetRunningValue()) + "."
	case !s.Live:
		return s.Name + " is " + valueText(s, running.GetValue()) + " in the running daemon already."
	case file.Origin.Source == config.FromDefault:
		return s.Name + " has its default again: " + valueText(s, running.GetValue()) + "."
	}
	return s.Name + " is " + valueText(s, running.GetValue()) + " now."
}

// keptText returns what a daemon does that was started with another value.
func keptText(s *config.Setting, running string) string {
	return "the running daemon keeps " + valueText(s, running) + " until 'betcode daemon restart'"
}

// precedenceText returns why a file cannot change a setting; empty if it can.
func precedenceText(from config.Origin) string {
	switch from.Source {
	case config.FromFlag, config.FromEnvironment:
		return "It comes from " + from.String() + ", which takes precedence over settings files."
	default:
		return ""
	}
}

// valueText returns a value, or in brackets the effect of none.
func valueText(s *config.Setting, value string) string {
	if value == "" {
		return "(" + s.Unset + ")"
	}
	return console.Line(value)
}

// runningValues returns the settings of the daemon once it has read the files, or after appliedPatience. ok is false if no
// daemon answers.
func (p group) runningValues(ctx context.Context, c *cli.Context, now config.Settings, settings []*config.Setting) (map[string]*pb.SettingValue, bool) {
	running, ok := p.pollSettings(ctx, c, func(running *pb.Settings) bool {
		values := valuesByName(running)
		for _, s := range settings {
			if !isRead(s, values[s.Name], now.Get(s.Name)) {
				return false
			}
		}
		return true
	})
	return valuesByName(running), ok
}

// pollSettings asks the daemon for its settings until read accepts them, or for appliedPatience. It returns the last answer; ok
// is false if no daemon answers.
func (p group) pollSettings(ctx context.Context, c *cli.Context, read func(*pb.Settings) bool) (running *pb.Settings, ok bool) {
	cfg, err := p.ClientConfig(c)
	if err != nil {
		return nil, false
	}
	cl, err := client.Dial(ctx, cfg)
	if err != nil {
		return nil, false
	}
	defer cl.Close()
	for deadline := time.Now().Add(appliedPatience); ; {
		running, err := cl.Config.GetSettings(ctx, &pb.GetSettingsRequest{})
		if err != nil {
			return nil, false
		}
		if read(running) || time.Now().After(deadline) {
			return running, true
		}
		select {
		case <-ctx.Done():
			return running, true
		case <-time.After(appliedPoll):
		}
	}
}

func valuesByName(running *pb.Settings) map[string]*pb.SettingValue {
	values := map[string]*pb.SettingValue{}
	for _, v := range running.GetValues() {
		values[v.GetName()] = v
	}
	return values
}

// isRead reports whether the daemon has read a setting from the file.
func isRead(s *config.Setting, running *pb.SettingValue, file config.Value) bool {
	source := config.Source(running.GetSource())
	if running == nil || source == config.FromFlag || source == config.FromEnvironment {
		return true
	}
	return running.GetValue() == file.Public()
}
