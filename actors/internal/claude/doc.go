// Package claude implements the protocol of the Claude Code CLI: newline-delimited
// JSON on its standard input and output. It is a pure codec. It does no I/O,
// reads no clock, keeps nothing between calls and never panics on the agent's
// output.
//
// # Output of the agent
//
// [Translate] turns one complete line into an ordered list of [Item]: a [Draft]
// is an event for clients, without its sequence number; everything else is a
// signal for the session. Events that do not come from the agent are the session's:
// StatusChange, PermissionRequest, UserQuestion, SessionInfo and
// UserInput are never drafted here ([PermissionEvent] and [QuestionEvents] make
// them when the session decides to ask).
//
//	line ──► decode once ──► Translate(State, line) ──► State', [Draft | signal]...
//
// [State] has what one line does not contain: the open blocks, the running tool
// calls, the list of things to do, the cost so far. It is a value: a state
// that was returned is never changed, so an old one may be used again. It is
// bounded, whatever the agent writes, and survives [State.Marshal] and
// [ParseState] between any two lines; the caller commits it with the events and
// the offset they came from.
//
// # What is promised
//
//   - A block of text that was begun is ended once: by is_complete, or withdrawn.
//   - A tool call is announced once and ended once: by its result, withdrawn, or
//     by a result from this package that states that there was none.
//   - UsageReport comes before TurnComplete, and [TurnEnded] after both.
//   - No event is larger than 4 MiB: text is split, anything else is cut and marked
//     as cut. Every string is valid UTF-8.
//   - A line that is not understood becomes a RawLine and is never fatal. A line
//     that is understood only in part is translated and kept raw as well.
//   - Members that are not listed in wire.go are ignored: the spool has them.
//
// When a process has ended, [EndRun] ends everything that it left open and returns the
// state for the next process of the same conversation. [TranslateTorn] handles a torn
// last line.
//
// # Input of the agent
//
// The functions named *Line make one line of standard input each, with its
// newline and no other. JSON that came from the agent (a tool's input) goes back
// byte for byte, never decoded and encoded again. No function makes a line that
// would crash the CLI: malformed arguments are refused with a [messages.Error].
//
// [Argv] and [Environ] make the command line and the environment of the process.
package claude
