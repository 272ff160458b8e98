package claudecode

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

//go:embed versions.json
var versionsJSON []byte

// table is versions.json.
type table struct {
	Supported      []string             `json:"supported"` // tried by tests/fidelity, oldest first
	Complete       string               `json:"complete"`  // older ones work with things missing
	UpgradeCommand string               `json:"upgrade_command"`
	UpgradeURL     string               `json:"upgrade_url"`
	Capabilities   map[string]existence `json:"capabilities"`
	Options        map[string]string    `json:"options"` // of the command line, and the oldest version measured with each
}

// existence says which versions have a capability.
type existence struct {
	From    string `json:"from"`    // the oldest version measured with it
	Says    string `json:"says"`    // its name in init.capabilities; empty = the agent does not say
	Without string `json:"without"` // what is different without it, for people
}

// known is versions.json, decoded.
var known = func() table {
	var t table
	if err := json.Unmarshal(versionsJSON, &t); err != nil {
		panic("read versions.json: " + err.Error())
	}
	return t
}()

// Supported returns the versions that are tried, oldest first.
func Supported() []string { return slices.Clone(known.Supported) }

// Oldest is the oldest supported version; older ones are not started.
func Oldest() string { return known.Supported[0] }

// Newest is the newest version that was tried.
func Newest() string { return known.Supported[len(known.Supported)-1] }

// Complete is the oldest version that misses nothing that people see.
func Complete() string { return known.Complete }

// UpgradeCommand is what people type to get the newest version.
func UpgradeCommand() string { return known.UpgradeCommand }

// UpgradeURL is the page that says how to install Claude Code.
func UpgradeURL() string { return known.UpgradeURL }

// Release returns a version as major.minor.patch with a leading v: what comes
// before a release, and how it was built, does not make it older. It is empty for
// what is no version.
func Release(version string) string {
	v := "v" + strings.TrimPrefix(strings.TrimSpace(version), "v")
	if !semver.IsValid(v) {
		return ""
	}
	v = semver.Canonical(v)
	return strings.TrimSuffix(v, semver.Prerelease(v))
}

// Older reports whether a version is older than another; what is no version is not.
func Older(version, than string) bool {
	a, b := Release(version), Release(than)
	return a != "" && b != "" && semver.Compare(a, b) < 0
}

// Grade is how well a version fits.
type Grade uint8

// The grades.
const (
	Unknown      Grade = iota // no version, or of another major version than the newest
	Incompatible              // older than the oldest supported one
	Degraded                  // works with things missing
	Full                      // tried, or between versions that were
	Likely                    // newer than what was tried
)

// Level grades a version.
func Level(version string) Grade {
	switch v := Release(version); {
	case v == "":
		return Unknown
	case Older(version, Oldest()):
		return Incompatible
	case Older(version, known.Complete):
		return Degraded
	case !Older(Newest(), version):
		return Full
	case semver.Major(v) == semver.Major(Release(Newest())):
		return Likely
	}
	return Unknown
}

// Advice says what people should know about a version before they rely on it,
// empty when there is nothing to say.
func Advice(version string) string {
	switch Level(version) {
	case Incompatible:
		return fmt.Sprintf("Claude Code %s is not supported: the oldest supported version is %s. Upgrade with: %s",
			version, Oldest(), known.UpgradeCommand)
	case Degraded:
		return fmt.Sprintf("Claude Code %s works with limits: %s. Upgrade with: %s",
			version, strings.Join(Missing(version), "; "), known.UpgradeCommand)
	case Unknown, Full, Likely:
	}
	return ""
}

// Missing lists what is different with a version, in the order of the versions
// that brought it. It is empty for a version that is not known.
func Missing(version string) []string {
	var names []string
	for name, c := range known.Capabilities {
		if Older(version, c.From) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if n := semver.Compare(Release(known.Capabilities[a].From), Release(known.Capabilities[b].From)); n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	texts := make([]string, 0, len(names))
	for _, name := range names {
		texts = append(texts, known.Capabilities[name].Without)
	}
	return texts
}
