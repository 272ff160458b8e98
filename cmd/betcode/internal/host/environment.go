package host

import (
	"path/filepath"
	"regexp"
	"strings"
)

// notifyKept are the variables that a program for notifications gets of the daemon's environment: enough to find its
// user, a desktop and the time, and no secrets.
var notifyKept = map[string]bool{
	"PATH": true, "HOME": true, "USER": true, "LOGNAME": true, "SHELL": true, "LANG": true, "LC_ALL": true, "LC_CTYPE": true, "TZ": true,
	"TMPDIR": true, "DISPLAY": true, "WAYLAND_DISPLAY": true, "XAUTHORITY": true, "XDG_RUNTIME_DIR": true, "DBUS_SESSION_BUS_ADDRESS": true,
	"SystemRoot": true, "USERPROFILE": true,
}

func notifyEnvironment(environ []string) []string {
	var kept []string
	for _, entry := range environ {
		if name, _, _ := strings.Cut(entry, "="); notifyKept[name] {
			kept = append(kept, entry)
		}
	}
	return kept
}

// secretNames matches the names of variables that hold secrets.
var secretNames = regexp.MustCompile(`(?i)(key|token|secret|passw(or)?d|passphrase|credentials?)(_|$)`)

// secretsIn returns the secrets in an environment, recognised by the names of their variables. The path of a file is not
// a secret.
func secretsIn(environ []string) []string {
	var found []string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if secretNames.MatchString(name) && !filepath.IsAbs(value) {
			found = append(found, value)
		}
	}
	return found
}
