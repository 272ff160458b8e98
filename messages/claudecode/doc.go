// Package claudecode knows what each version of Claude Code can do. The table is
// data (versions.json): a capability exists from a version on, or where the agent
// itself lists it in the capabilities of its init line.
//
// [Of] gives the capabilities of a version; the codec, the sessions and the
// gateway ask it instead of comparing versions. [Level] grades a version for
// people, and [Advice] says what they miss and how to upgrade.
//
// A version that is not known is treated as the newest: the capabilities that the
// agent shows count from its first turn on.
package claudecode
