// Package proxy registers a session of this daemon at a foreign portal, as the portal's own proxies
// do. People can view, prompt and approve the session there. It supports the three dialects of
// [wire.Dialect].
//
// # Who owns what
//
// The daemon owns the session, its history and every decision. The backend owns the inputs of people
// there until they are acknowledged. A proxy owns a [Checkpoint], which is where the next connection
// begins. A [Proxy] has one connection at a time. Each has a link, the pure part with the whole
// protocol, and a shell with the socket, the timers and the conversation with the daemon. A connection
// takes only the checkpoint from the one before.
//
// # Output
//
// A line is derived from journaled events, so it is durable before it is sent. Its number is computed
// from the sequence of its event ([Checkpoint.Number]), so every incarnation gives it the same number.
// A connection begins at the end of the last turn whose lines are all acknowledged, derives the lines
// again, and sends those after the last acknowledgement. So no lines need a buffer, and a backend that
// does not read stops only the stream of events.
//
// Backends keep the last number in memory, and drop lines that are sent again. A backend that was
// restarted stores lines twice if their acknowledgement was lost; a proxy cannot prevent that.
//
// # Input
//
// An input is sent to the daemon under a key that is computed from backend, session, number and
// content. It is acknowledged when its journaled UserInput event has arrived. The backend repeats it
// until then, and the daemon accepts it once. The checkpoint has the newest keys, for inputs that are
// repeated after their turn.
//
// # Requests
//
// Backends keep one unnumbered request of a session. The proxy shows the oldest, then the next, and
// repeats it on a new connection. The first answer decides; people at the portal get a note if it came
// from elsewhere.
//
// # On a crash
//
// When the proxy is killed, the session continues, and the next proxy sends the missing lines. When
// the daemon is killed, the connection to the backend stays open, and continues with the next daemon.
// When the journal was restored from a backup, sequences of events repeat; numbers of lines continue
// above all used ones ([Checkpoint.Base]).
package proxy
