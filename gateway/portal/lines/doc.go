// Package lines makes lines of Claude Code, as it writes them with --output-format stream-json,
// from events of a session. Readers of the portal know an agent by its lines; the journal has
// events. It is pure: the same events give the same lines, with the same ids and times.
//
// A line is complete: an assistant line has one whole block, as Claude Code writes it. What the
// events do not have is given as Claude Code gives nothing: the usage of a message is 0, and
// that of a turn is in its result. Events without a line, such as those about locks and tasks, are
// left out. What the daemon says itself becomes a line of type "portal" or "error", which all
// pages know.
package lines
