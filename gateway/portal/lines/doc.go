// Package lines converts events of a session to lines of Claude Code, as it writes them with
// --output-format stream-json. Readers of the portal expect lines, and the journal has events. The
// package is pure: the same events give the same lines, with the same ids and times.
//
// A line is complete: an assistant line has one whole block, as Claude Code writes it. Values that
// the events do not have are empty: the usage of a message is 0, and that of a turn is in its
// result. Some events, such as those about locks and tasks, have no line. Texts of the daemon
// become lines of type "portal" or "error", which all pages know.
package lines
