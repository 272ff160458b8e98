package version

import (
	_ "embed"
	"encoding/json"

	"golang.org/x/mod/semver"

	"betcode/messages/claudecode"
	pb "betcode/proto/betcode/v1"
)

// compatibilityJSON has the versions of clients that work with this daemon.
//
//go:embed compatibility.json
var compatibilityJSON []byte

// compatibility is the window of versions that work together.
type compatibility struct {
	ClaudeCode struct {
		Minimum        string // older ones are refused
		Complete       string // older ones lack some abilities
		Tested         string // newer ones are likely to work
		UpgradeURL     string
		UpgradeCommand string
	} `json:"-"`
	Client struct {
		Minimum     string `json:"minimum"`     // older ones are refused
		Recommended string `json:"recommended"` // older ones are advised to update
		UpgradeURL  string `json:"upgrade_url"`
	} `json:"client"`
}

// window is the window of this build; TestWindow checks that it can be parsed. The versions of
// Claude Code come from the table that sessions use.
var window = func() (c compatibility) {
	if err := json.Unmarshal(compatibilityJSON, &c); err != nil {
		panic("read compatibility.json: " + err.Error())
	}
	c.ClaudeCode.Minimum, c.ClaudeCode.Complete, c.ClaudeCode.Tested = claudecode.Oldest(), claudecode.Complete(), claudecode.Newest()
	c.ClaudeCode.UpgradeURL, c.ClaudeCode.UpgradeCommand = claudecode.UpgradeURL(), claudecode.UpgradeCommand()
	return c
}()

// release returns a version as major.minor.patch, without pre-release and build; empty if it
// is not a version.
func release(version string) string { return claudecode.Release(version) }

// older reports whether a version is older than another; false if either is not a version.
func older(version, than string) bool { return claudecode.Older(version, than) }

// level returns the compatibility of a version of Claude Code.
func (c compatibility) level(version string) pb.CompatibilityLevel {
	w := c.ClaudeCode
	switch v := release(version); {
	case v == "":
		return pb.CompatibilityLevel_COMPATIBILITY_UNKNOWN
	case older(version, w.Minimum):
		return pb.CompatibilityLevel_INCOMPATIBLE
	case older(version, w.Complete):
		return pb.CompatibilityLevel_DEGRADED
	case !older(w.Tested, version):
		return pb.CompatibilityLevel_FULLY_COMPATIBLE
	case semver.Major(v) == semver.Major(release(w.Tested)):
		return pb.CompatibilityLevel_LIKELY_COMPATIBLE
	}
	return pb.CompatibilityLevel_COMPATIBILITY_UNKNOWN
}
