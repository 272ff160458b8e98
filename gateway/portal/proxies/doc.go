// Package proxies serves the socket of the portal on which proxies connect, /ws/session: somebody
// else's program runs an agent, and forwards what it says. Its session is one of the daemon, which
// other clients watch, answer and steer.
//
// # Rooms
//
// A [Server] has the places and the bounds. A proxy is one connection. Its translator is pure, and
// knows what its generation ([wire.Dialect]) can read. Its link is the call of the daemon's
// ProxyService, with what the daemon may not have stored yet.
//
// # Who owns what
//
// The daemon owns the session, its inputs and its decisions, counts them, and decides what the token
// of the proxy allows. The proxy owns the lines of its agent until they are acknowledged. Nothing is
// stored here.
//
// # What is promised, in what order
//
//   - Nothing counts before a Register. Its answer comes first, within 8 seconds, before inputs that
//     wait, decisions that the proxy has not read, and what happens.
//   - A line is acknowledged when the daemon has stored it.
//   - A proxy gets an input and a decision once in a connection, in order.
//   - A decision counts as read when the proxy answers a ping that follows it.
//   - Only types of the generation of the proxy are sent to it. Heartbeats are answered to G2 and G3,
//     and never begun; those of G1 are not answered, because it answers each in turn.
//
// # What has no effect
//
// Types that are not known, binary frames, frames that cannot be read, a second Register, and the
// SessionStatus, TurnMetricsReport, ToolProgress, Ephemeral and SessionLimitReached of a proxy, which
// are not for keeping; and answers about ports, tunnels and files for which nobody has asked. The log
// names each kind once for a connection.
//
// # Bounds
//
// A frame has 256 KiB before the Register, and later a line of 20 MiB. All frames that are read or
// pending together have 64 MiB: a proxy whose frame finds no room is read later. A proxy has at most
// 1 024 requests or 8 MiB pending. It sends at most 5 000 lines and 200 other frames a second for long.
// There are at most 256 proxies, and 64 connections that have not registered. A proxy that does not
// read for 30 seconds, or is silent for 60, is closed.
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
// and repeats what the old one may not have stored; the next one knows what it has. An input that the
// proxy has, but not acknowledged, is not sent to it again. When this process ends, the proxy registers
// at the next one, and repeats its lines. What it sends once, such as a permission request, is lost if
// it was under way in that instant.
package proxies
