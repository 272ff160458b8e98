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
	Supported      []string             `json:"supported"` // tested by tests/fidelity, oldest first
	Complete       string               `json:"complete"`  // older ones work with limits
	UpgradeCommand string               `json:"upgrade_command"`
	UpgradeURL     string               `json:"upgrade_url"`
	Capabilities   map[string]existence `json:"capabilities"`
	Options        map[string]string    `json:"options"` // of the command line, with the oldest version in which each was found
}

// existence is which versions have a capability.
type existence struct {
	From    string `json:"from"`    // the oldest version in which it was found
	Says    string `json:"says"`    // its name in init.capabilities; empty = not listed there
	Without string `json:"without"` // consequence of its absence, for people
}

// known is versions.json, decoded.
var known = func() table {
	var t table
	if err := json.Unmarshal(versionsJSON, &t); err != nil {
		panic("read versions.json: " + err.Error())
	}
	return t
}()

// Supported returns the tested versions, oldest first.
func Supported() []string { return slices.Clone(known.Supported) }

// Oldest returns the oldest supported version; older ones are not started.
func Oldest() string { return known.Supported[0] }

// Newest returns the newest tested version.
func Newest() string { return known.Supported[len(known.Supported)-1] }

// Complete returns the oldest version that works without limits.
func Complete() string { return known.Complete }

// UpgradeCommand returns the command that installs the newest version.
func UpgradeCommand() string { return known.UpgradeCommand }

// UpgradeURL returns the page about the installation of Claude Code.
func UpgradeURL() string { return known.UpgradeURL }

// Release returns a version as major.minor.patch with a leading v, without pre-release and build
// metadata. It is empty for an invalid version.
func Release(version string) string {
	v := "v" + strings.TrimPrefix(strings.TrimSpace(version), "v")
	if !semver.IsValid(v) {
		return ""
	}
	v = semver.Canonical(v)
	return strings.TrimSuffix(v, semver.Prerelease(v))
}

// Older reports whether a version is older than another. It is false if either is invalid.
func Older(version, than string) bool {
	a, b := Release(version), Release(than)
	return a != "" && b != "" && semver.Compare(a, b) < 0
}

// Grade is how well betcode supports a version.
type Grade uint8

// The grades.
const (
	Unknown      Grade = iota // invalid, or of a newer major version than the newest tested one
	Incompatible              // older than the oldest supported one
	Degraded                  // works with limits
	Full                      // tested, or between tested versions
	Likely                    // newer than the newest tested one
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

// Advice returns what people should know about a version before they use it; empty if nothing.
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

// Missing lists the consequences of capabilities that a version lacks, ordered by the version that
// introduced each. It is empty for an unknown version.
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
