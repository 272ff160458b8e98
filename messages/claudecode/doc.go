// Package claudecode maps versions of Claude Code to capabilities. The table is data
// (versions.json): a version has a capability from a certain version on, or if the agent lists it
// in the capabilities of its init line.
//
// [Of] returns the capabilities of a version; the codec, the sessions and the gateway use it
// instead of comparing versions. [Level] grades a version for people, and [Advice] describes what
// is missing and how to upgrade.
//
// An unknown version is treated as the newest.
package claudecode
