package git

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// lfs are the commands of git lfs. They are programs of the user, whichever file names them.
var lfs = []string{
	"git-lfs clean -- %f", "git-lfs smudge -- %f", "git-lfs smudge --skip -- %f", "git-lfs filter-process", "git-lfs filter-process --skip",
}

// own are a repository's own settings that are relevant here.
type own struct {
	filters []string  // names of filters that run other programs than git lfs
	hidden  []string  // conditional includes, whose settings apply in some working trees only
	lfs     bool      // settings that make git lfs run other programs
	hooks   []string  // hooks in settings, which newer versions of git run
	kept    []setting // settings that are copied into the stand-in
}

// ownSettings reads the settings of the repository at a directory, with those of its includes. Settings of the user and of
// the system are left out.
func (g *Git) ownSettings(ctx context.Context, dir string) (own, error) {
	var o own
	out, err := g.run(ctx, command{dir: dir, args: []string{"config", "--includes", "--show-scope", "-z", "--list"}, reads: true})
	if err != nil {
		return o, err
	}
	words := strings.Split(out, "\x00")
	for n := 0; n+1 < len(words); n += 2 {
		if scope := words[n]; scope != "system" && scope != "global" && scope != "command" {
			key, value, given := strings.Cut(words[n+1], "\n")
			o.add(key, value)
			if !given {
				value = "true"
			}
			if keeps(key, value) {
				o.kept = append(o.kept, setting{key, value})
			}
		}
	}
	slices.Sort(o.filters)
	o.filters = slices.Compact(o.filters)
	return o, nil
}

func (o *own) add(key, value string) {
	section, rest, _ := strings.Cut(key, ".")
	name := rest[strings.LastIndexByte(rest, '.')+1:]
	switch section, name = strings.ToLower(section), strings.ToLower(name); {
	case section == "filter" && (name == "clean" || name == "smudge" || name == "process") && value != "" && !slices.Contains(lfs, value):
		o.filters = append(o.filters, strings.TrimSuffix(rest, "."+rest[strings.LastIndexByte(rest, '.')+1:]))
	case section == "hook" && name == "command":
		o.hooks = append(o.hooks, key)
	case section == "includeif":
		o.hidden = append(o.hidden, key)
	case section == "lfs" && (strings.Contains(rest, "customtransfer.") || strings.Contains(rest, "extension.") || strings.HasSuffix(name, "transferagent")),
		section == "core" && (name == "sshcommand" || name == "askpass"), section == "credential" && name == "helper":
		o.lfs = true
	}
}

// Programs returns the settings of the repository at a directory that would run a program during a checkout; empty if none would.
func (g *Git) Programs(ctx context.Context, dir string) (string, error) {
	o, err := g.ownSettings(ctx, dir)
	switch {
	case err != nil:
		return "", err
	case len(o.filters) > 0:
		return fmt.Sprintf("filter %q", o.filters[0]), nil
	case len(o.hooks) > 0:
		return fmt.Sprintf("%q", o.hooks[0]), nil
	case len(o.hidden) > 0:
		return fmt.Sprintf("conditional include %q", o.hidden[0]), nil
	}
	return "", nil
}
