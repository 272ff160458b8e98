package settings

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/features"
	"betcode/config"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// appliedFeatures waits until the running daemon has read changed feature flags, so that the next command finds the feature as it
// was set, and informs a person.
func (p group) appliedFeatures(ctx context.Context, c *cli.Context, changes []config.Change, source config.Source) {
	now, err := config.Load(base.DaemonSettings(c), p.World)
	if err != nil || source != config.FromUser {
		return // the command has reported the error; a directory has no flags
	}
	wanted := map[string]bool{}
	for _, change := range changes {
		name, isFlag := strings.CutPrefix(change.Name, features.Prefix)
		if f, known := messages.FeatureNamed(name); isFlag && known && f.Name == name {
			wanted[name] = f.On(features.Set(now))
		}
	}
	if len(wanted) == 0 {
		return
	}
	running, ok := p.pollSettings(ctx, c, func(running *pb.Settings) bool {
		for name, on := range wanted {
			if running.GetFeatureFlags()[name] != on {
				return false
			}
		}
		return true
	})
	for _, change := range changes {
		if on, known := wanted[strings.TrimPrefix(change.Name, features.Prefix)]; known {
			p.Say("%s", featureText(change.Name, ok, running.GetFeatureFlags()[strings.TrimPrefix(change.Name, features.Prefix)] == on))
		}
	}
}

// featureText returns the result of one change of a flag.
func featureText(name string, runs, read bool) string {
	switch {
	case !runs:
		return name + " takes effect when a daemon starts."
	case !read:
		return name + " is not read by the running daemon yet: betcode config show."
	}
	return name + " is in effect."
}
