// Package socket is the gateway for clients of the agent socket: NDJSON over a Unix domain socket,
// as the Maelstrom document describes it. It translates lines to requests of betcode.v1, and events
// to lines. It makes no decisions.
//
// # Parts
//
// decode.go and encode.go know the wire: types, members, order of keys. The [translator] converts
// events to lines, and the [requestTable] numbers requests that wait for an answer; both are pure. A
// session is one conversation with the daemon. A connection has the sessions of one client. The
// [Server] has the connections and the used ids.
//
// # Who owns what
//
// The daemon owns the sessions. A conversation ([Conversation]) reconnects by itself, and resends
// unconfirmed requests under their idempotency keys. Each session has one goroutine that receives
// events; each connection has one that reads. Both use the translator of a session, under the
// session's lock. A connection writes whole lines in batches.
//
// An id, and the session under it, belong to the connection that started, resumed or attached it. The id
// is unknown to every other connection, unless it attaches; then it watches, under that id or another.
//
// # Guarantees and their order
//
//   - Keys of a line: sessionId, type, then the others in the order of the document.
//   - started, processing, system, the turn, result, idle. A later turn begins with processing.
//   - An invalid line is answered with an error, and the connection stays open.
//   - Request ids are req_1, req_2, … in each session. They are derived from the journal, so they
//     are the same when the session is attached again.
//   - A slow client slows only its own conversations down.
//
// # Bounds
//
// A line has at most 20 MiB; a longer one is skipped and answered with an error. There are at most
// 256 connections, with at most 256 sessions each.
//
// # On a crash
//
// When the daemon ends, its clients here stay connected, and conversations continue with the next
// daemon from the last event. When this process ends, sessions continue in the daemon; a client
// connects again and sends attach_session with its last sequence. The package stores nothing.
package socket
