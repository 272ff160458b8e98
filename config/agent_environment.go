package config

import (
	"regexp"
	"slices"
	"strings"
)

// AgentEnvironment says which variables agents get, and from whom.
//
// Everything that the daemon has is theirs, keys and proxies included, but what is
// withheld; it is read anew whenever an agent is started, and never stored. Beside
// that, a session keeps a few variables of the client that began it, so that an agent
// finds the tools that its user had at hand, also when it is started again in a week;
// those are stored, so none of them may be a secret. They win.
type AgentEnvironment struct {
	Keep     []string // of a client's, with the session that it begins
	Withhold []string // of the daemon's, from agents
}

// keptByDefault is what a session keeps unless somebody says otherwise: where tools
// are, which version of them, and the language. Not kept: HOME, which is where the
// agent has its memory; proxies, which may hold a password; and everything unknown.
var keptByDefault = []string{
	"PATH", "LANG", "LANGUAGE", "LC_*", "TZ", "SSH_AUTH_SOCK", "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "PYENV_ROOT", "PYENV_VERSION",
	"NVM_DIR", "NVM_BIN", "RBENV_ROOT", "RBENV_VERSION", "JAVA_HOME", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "GOROOT", "GOPATH", "GOBIN",
}

// own begins the names of the daemon's own variables: no agent gets one.
const own = "BETCODE_"

// ofManager are variables by which the daemon talks to the service manager.
var ofManager = []string{"NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"}

// Keeps reports whether a session keeps a client's variable with that name.
func (a AgentEnvironment) Keeps(name string) bool {
	return !strings.HasPrefix(name, own) && named(a.Keep, name)
}

// Kept is what a session keeps of a client's environment, given as "NAME=value".
func (a AgentEnvironment) Kept(environ []string) map[string]string {
	kept := map[string]string{}
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok && a.Keeps(name) {
			kept[name] = value
		}
	}
	return kept
}

// Inherited is what agents get of the daemon's environment: all of it but what is
// about the daemon itself, and what is withheld.
func (a AgentEnvironment) Inherited(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return strings.HasPrefix(name, own) || slices.Contains(ofManager, name) || named(a.Withhold, name)
	})
}

// named reports whether a name is among names, in which a last * stands for any rest.
func named(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		beginning, open := strings.CutSuffix(n, "*")
		return n == name || open && strings.HasPrefix(name, beginning)
	})
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\*?$`)

// parseNames reads "PATH,LC_*"; "off" is none.
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
