package config

import (
	"regexp"
	"slices"
	"strings"
)

// AgentEnvironment selects the environment variables of agents.
//
// Agents inherit the daemon's environment, including keys and proxies, except withheld variables.
// It is read at each start of an agent and never stored. In addition, a session keeps a few
// variables of the client that created it, so that an agent finds its user's tools even if it is
// restarted a week later. Those have precedence. They are stored, so none of them may be a secret.
type AgentEnvironment struct {
	Keep     []string // variables of a client, kept with the session that it creates
	Withhold []string // variables of the daemon, withheld from agents
}

// keptByDefault are the variables that a session keeps by default: paths and versions of
// tools, and the language. Not kept are HOME, where the agent has its memory, proxies, which
// may contain a password, and all unknown variables.
var keptByDefault = []string{
	"PATH", "LANG", "LANGUAGE", "LC_*", "TZ", "SSH_AUTH_SOCK", "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "PYENV_ROOT", "PYENV_VERSION",
	"NVM_DIR", "NVM_BIN", "RBENV_ROOT", "RBENV_VERSION", "JAVA_HOME", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "GOROOT", "GOPATH", "GOBIN",
}

// own is the prefix of the daemon's variables, which no agent gets.
const own = "BETCODE_"

// ofManager are variables by which the daemon communicates with the service manager.
var ofManager = []string{"NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"}

// Keeps reports whether a session keeps a client's variable with that name.
func (a AgentEnvironment) Keeps(name string) bool {
	return !strings.HasPrefix(name, own) && named(a.Keep, name)
}

// Kept returns the variables that a session keeps of a client's environment, given as "NAME=value".
func (a AgentEnvironment) Kept(environ []string) map[string]string {
	kept := map[string]string{}
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok && a.Keeps(name) {
			kept[name] = value
		}
	}
	return kept
}

// Inherited returns the variables that agents get of the daemon's environment: all but those
// about the daemon itself and the withheld ones.
func (a AgentEnvironment) Inherited(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return strings.HasPrefix(name, own) || slices.Contains(ofManager, name) || named(a.Withhold, name)
	})
}

// named reports whether a name matches one of names; a final * matches any rest.
func named(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		beginning, open := strings.CutSuffix(n, "*")
		return n == name || open && strings.HasPrefix(name, beginning)
	})
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\*?$`)

// parseNames parses "PATH,LC_*"; "off" is the empty list.
func parseNames(s string) ([]string, bool) {
	if s == "off" {
		return []string{}, true
	}
	var names []string
	for name := range strings.SplitSeq(s, ",") {
		name = strings.TrimSpace(name)
		if !variableName.MatchString(name) {
			return nil, false
		}
		names = append(names, name)
	}
	return names, true
}
