package grpcapi

import (
	_ "embed"
	"encoding/json"

	"golang.org/x/mod/semver"

	"betcode/messages/claudecode"
	pb "betcode/proto/betcode/v1"
)

// compatibilityJSON is the window of versions that fit together.
//
//go:embed compatibility.json
var compatibilityJSON []byte

// compatibility is the window as data.
type compatibility struct {
	ClaudeCode struct {
		Minimum        string // older ones are refused
		Complete       string // older ones work with things missing
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

// window is what this daemon was built with; TestWindow shows that it can be read.
// What it says of Claude Code is the table of versions, which sessions use too.
var window = func() (c compatibility) {
	if err := json.Unmarshal(compatibilityJSON, &c); err != nil {
		panic("read compatibility.json: " + err.Error())
	}
	c.ClaudeCode.Minimum, c.ClaudeCode.Complete, c.ClaudeCode.Tested = claudecode.Oldest(), claudecode.Complete(), claudecode.Newest()
	c.ClaudeCode.UpgradeURL, c.ClaudeCode.UpgradeCommand = claudecode.UpgradeURL(), claudecode.UpgradeCommand()
	return c
}()

// release is a version as major.minor.patch: what comes before a release, and how it
// was built, does not make it older. Empty for what is no version.
func release(version string) string { return claudecode.Release(version) }

// older reports whether a version is older than another; what is no version is not.
func older(version, than string) bool { return claudecode.Older(version, than) }

// level grades a version of Claude Code.
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
