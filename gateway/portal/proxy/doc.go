// Package proxy registers a session of this daemon at a portal of somebody else, as the portal's own
// proxies do: the session is seen, prompted and approved there. It speaks the three dialects of
// [wire.Dialect].
//
// # Who owns what
//
// The daemon owns the session, its history and every decision. The backend owns what people have
// typed there until it is acknowledged. A proxy owns a [Checkpoint]: where the next connection begins.
// A [Proxy] has one connection after the other; each has a link, which is the pure part with all of the
// protocol, and a shell around it with the socket, the clocks and the conversation with the daemon.
// A connection begins with the checkpoint and takes nothing else from the one before.
//
// # Output
//
// A line is made of journaled events, so it is durable before it is sent. Its number is computed from
// the number of its event ([Checkpoint.Number]): every incarnation gives it the same one. A connection
// begins at the end of the last turn whose lines are all acknowledged, makes the lines anew, and sends
// those behind the last acknowledgement. So nothing is buffered, and a backend that does not read
// holds up the stream of events and nothing else.
//
// Backends keep the last number in memory. A line that is sent again is dropped by a backend that
// remembers it. One that was restarted, and had stored lines whose acknowledgement has not arrived, stores
// them twice: nothing that a proxy sends can prevent it.
//
// # Input
//
// An input is sent to the daemon under a key that is computed from backend, session, number and
// content. It is acknowledged when its UserInput event, which is journaled, has arrived; the backend
// repeats it until then, and the daemon takes it once. The checkpoint has the newest keys, for inputs
// that come again after the turn that they began.
//
// # Requests
//
// Backends keep one request of a session, unnumbered: the oldest is shown, then the next, and on a new
// connection again. The first answer counts; people at the portal are told if it came from elsewhere.
//
// # On a crash
//
// When the proxy is killed, the session goes on, and the next proxy sends what is missing. When the
// daemon is killed, the connection to the backend stays, and goes on with the next daemon. When the
// journal was restored from a backup, numbers of events repeat; those of lines continue above all that
// were used ([Checkpoint.Base]).
package proxy
