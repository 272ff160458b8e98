// Package claudecli provides the Claude Code that the tests and the demo run.
//
// The tests need one exact Claude Code, the one whose behaviour was measured, on every machine and
// without touching the user's own; tests/fidelity needs older ones too. [Ensure] and
// [EnsureVersion] install them once with npm into the git-ignored cache of this repository:
//
//	.cache/claude/<version>/            the npm prefix, renamed into place when complete
//	.cache/claude/<version>.lock        held during an installation
//
// So a directory that exists is complete, any number of test processes may call
// Ensure at once, and an installation killed half-way leaves only a temporary
// directory that is never searched.
//
// [Find] looks for a Claude Code the user already has, for the demo, and [Env] is the environment
// of every run: a home of its own, an API address on loopback, a dummy key and nothing of the
// caller's environment.
//
// The package does not read or write the caller's home directory, except that npm gets the path of
// the user's .npmrc.
package claudecli
