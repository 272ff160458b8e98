package launch

import (
	"slices"
	"strings"
)

// A restart with the environment of its caller takes the variables by which programs are found and agents log in. Places of the
// daemon (HOME, XDG_*), its settings (BETCODE_*) and what belongs to a terminal or a service stay as they were: a restart cannot
// change the former, and the others end with the caller.

// takenNames and takenPrefixes are the variables that a restart takes of its caller.
var (
	takenNames = []string{
		"PATH", "SHELL", "LANG", "LANGUAGE", "TZ", "SSH_AUTH_SOCK", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
	}
	takenPrefixes = []string{"LC_", "ANTHROPIC_", "AWS_", "GOOGLE_", "CLOUD_ML_"}
)

// TakenVariables lists the variables that a restart takes from its caller.
func TakenVariables() string {
	all := slices.Clone(takenNames)
	for _, prefix := range takenPrefixes {
		all = append(all, prefix+"*")
	}
	return strings.Join(all, ", ")
}

// taken reports whether a restart takes a variable. Names of proxies are in either case.
func taken(name string) bool {
	if strings.HasSuffix(name, "_proxy") {
		name = strings.ToUpper(name)
	}
	return slices.Contains(takenNames, name) || slices.ContainsFunc(takenPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// withEnvironment returns b with the variables of a caller that a restart takes, and the names of those that differ. A variable
// that the caller does not have stays.
func (b background) withEnvironment(caller []string) (next background, changed []string) {
	next, next.environment = b, slices.Clone(b.environment)
	for _, entry := range caller {
		name, _, _ := strings.Cut(entry, "=")
		if !taken(name) || slices.Contains(next.environment, entry) {
			continue
		}
		next.environment = append(without(next.environment, name), entry)
		changed = append(changed, name)
	}
	slices.Sort(changed)
	return next, changed
}
