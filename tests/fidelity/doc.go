// Fidelity plays the same scenarios with several versions of the real Claude Code
// behind the built daemon and the scripted model, and says what differs. `make
// fidelity VERSIONS="2.1.20 2.1.330"` runs it, writes the matrix docs/fidelity.md
// when all supported versions were asked for, and ends with
//
//	fidelity: versions=N scenarios=M ok=K differ=D fail=F
//
// A scenario is ok, or it differs in a way that is known and said with the version
// (scenario.differs), or it fails. A difference that is known but no longer seen
// fails too, so that the matrix stays true.
//
// The test of this package plays the oldest and the newest supported version.
package main
