package cli

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// flagPurposes maps flags that people know from other programs, and from other commands of this one, to flags. The first one that the
// command has is meant.
var flagPurposes = map[string][]string{
	"format": {"output", "output-format"}, "output-format": {"output"}, "output": {"output-format"}, "o": {"output", "output-format"}, "pretty": {"output"}, "table": {"output"},
	"yaml": {"output"}, "wide": {"output"}, "fields": {"json"}, "columns": {"json"}, "query": {"jq"}, "select": {"jq"},
	"filter": {"state", "type", "kind"}, "status": {"state"}, "order": {"sort"}, "order-by": {"sort"}, "sort-by": {"sort"},
	"limit": {"tail"}, "lines": {"tail", "limit"}, "last": {"tail", "limit"}, "head": {"limit", "tail"}, "count": {"limit", "tail"}, "max": {"limit"}, "n": {"limit", "tail"},
	"follow": {"watch"}, "watch": {"follow"}, "f": {"follow", "file"}, "tail": {"follow", "limit"}, "interval": {"watch"},
	"force": {"yes", "take-lock"}, "confirm": {"yes"}, "assume-yes": {"yes"}, "no-confirm": {"yes"}, "y": {"yes"},
	"background": {"detach"}, "detached": {"detach"}, "bg": {"detach"}, "d": {"detach"}, "async": {"detach"},
	"resume": {"session"}, "id": {"session"}, "session-id": {"session"}, "last-session": {"continue"},
	"directory": {"cwd", "dir"}, "workdir": {"cwd", "dir"}, "working-directory": {"cwd", "dir"}, "chdir": {"cwd", "dir"}, "path": {"cwd", "dir", "file"}, "add-dir": {"cwd"},
	"dangerously-skip-permissions": {"permission-mode", "permissions"}, "skip-permissions": {"permission-mode", "permissions"}, "mode": {"permission-mode"},
	"allow": {"allow-tools"}, "deny": {"deny-tools"}, "title": {"name"}, "host": {"address"}, "url": {"address"}, "server": {"address"}, "token": {"token-file"},
	"cacert": {"tls-ca"}, "ca": {"tls-ca"}, "config": {"config-dir"}, "image": {"attach"}, "attachment": {"attach"}, "days": {"older-than", "since"}, "age": {"older-than", "since"},
	"after": {"since", "from"}, "before": {"until"}, "debug": {"verbose", "log-level"}, "quiet": {"output"}, "steal": {"take-lock"}, "max-budget-usd": {"budget"}, "cost": {"budget"},
}

// suggestFlag returns the flag of a command, or of the program, that is most likely meant by an unknown one, with its dashes;
// empty if none is near. A purpose counts first, then the command's own flags.
func suggestFlag(own, global []cli.Flag, name string) string {
	name = strings.ToLower(strings.TrimLeft(name, "-"))
	var names []string
	for _, f := range slices.Concat(own, global) {
		names = append(names, f.Names()...)
	}
	for _, meant := range flagPurposes[name] {
		if slices.Contains(names, meant) {
			return dashed(meant)
		}
	}
	var near nearest
	for _, candidate := range names {
		near.take(name, candidate, dashed(candidate))
	}
	return near.best
}
