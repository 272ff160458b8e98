// Fidelity plays the same scenarios with several versions of the real Claude Code behind the built
// daemon and the scripted model, and reports differences. `make fidelity VERSIONS="2.1.20 2.1.330"`
// runs it, writes the matrix docs/fidelity.md when all supported versions were asked for, and ends
// with
//
//	fidelity: versions=N scenarios=M ok=K differ=D fail=F
//
// A scenario is ok, or it has a known difference that is listed with the version
// (scenario.differs), or it fails. A listed difference that does not occur fails too, so that the
// matrix stays true.
//
// The test of this package plays the oldest and the newest supported version.
package main
