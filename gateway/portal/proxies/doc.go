// Package proxies serves /ws/session, the socket of the portal for proxies: foreign programs that
// run an agent and forward its output. The agent's session is a session of the daemon, which other
// clients can watch, answer and control.
//
// # Parts
//
// A [Server] has the places and the bounds. A proxy is one connection. Its translator is pure, and
// knows which messages its generation ([wire.Dialect]) can read. Its link is the call of the
// daemon's ProxyService, with the requests that the daemon may not have stored yet.
//
// # Who owns what
//
// The daemon owns the session, its inputs and its decisions, counts them, and decides what the token
// of the proxy allows. The proxy owns the lines of its agent until they are acknowledged. Nothing is
// stored here.
//
// # Guarantees and their order
//
//   - Frames before a Register are ignored. The answer to Register comes first, within 8 seconds,
//     followed by waiting inputs, decisions that the proxy has not read, and new events.
//   - A line is acknowledged when the daemon has stored it.
//   - A proxy gets an input and a decision once in a connection, in order.
//   - A decision counts as read when the proxy answers a later ping.
//   - Only types of the generation of the proxy are sent to it. The server answers heartbeats of G2
//     and G3, and never begins one. It does not answer those of G1, which would answer back without
//     end.
//
// # What has no effect
//
// Unknown types, binary frames, invalid frames, a second Register, and the SessionStatus,
// TurnMetricsReport, ToolProgress, Ephemeral and SessionLimitReached of a proxy, which are not
// stored; and unrequested answers about ports, tunnels and files. The log names each kind once per
// connection.
//
// # Bounds
//
// A frame has at most 256 KiB before the Register, and later a line of 20 MiB. All frames that are
// being read or pending together have at most 64 MiB; a proxy whose frame does not fit is read later. A
// proxy has at most 1 024 requests or 8 MiB pending. It sends at most 5 000 lines and 200 other frames
// a second on average. There are at most 256 proxies, and 64 unregistered connections. A proxy that
// does not read for 30 seconds, or is silent for 60, is closed.
//
// # Closes
//
//	1000  the session has ended
//	1001  this process ends; a ServerShutdown comes first
//	1008  the registration was refused, the token was revoked, or the proxy does not answer
//	1009  a frame is too large
//	1012  the daemon is away for longer than 8 seconds; a ServerShutdown comes first
//	1013  the registration may be tried again, or there are too many proxies
//	4001  another connection has registered the session
//
// # On a crash
//
// When the daemon ends, the proxy stays connected for 8 seconds. The link registers at the next daemon,
// and resends requests that the old one may not have stored; the next one drops duplicates. An input
// that the proxy has, but has not acknowledged, is not sent to it again. When this process ends, the
// proxy registers at the next one, and resends its lines. Messages that it sends only once, such as a
// permission request, are lost if they were in transit.
package proxies
