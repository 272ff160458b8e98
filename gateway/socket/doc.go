// Package socket is the gateway for clients of the agent socket: NDJSON over a Unix domain
// socket, as the Maelstrom document describes it. It translates lines into requests of
// betcode.v1 and events into lines, and decides nothing.
//
// # Rooms
//
// decode.go and encode.go know the wire: types, members, order of keys. The [translator] makes
// lines of events, and the [book] numbers what waits for an answer; both are pure. A session is
// one conversation with the daemon, a connection has the sessions of one client, and the
// [Server] has the connections and the ids that are in use.
//
// # Who owns what
//
// The daemon owns the sessions. A conversation ([Conversation]) reconnects by itself, and sends
// what is not confirmed again under its idempotency key. Each session has one goroutine that
// receives events; each connection has one that reads. The translator of a session is used by
// both, under the lock of the session. A connection writes a batch of whole lines at a time.
//
// An id, and the session under it, belong to the connection that started, resumed or attached it. For
// every other connection the id is unknown, unless it attaches; then it watches, under that id or another.
//
// # What is promised, in what order
//
//   - Keys of a line: sessionId, type, then the others in the order of the document.
//   - started, processing, system, the turn, result, idle. A later turn begins with processing.
//   - A line that cannot be used is answered with an error. The connection stays.
//   - Request ids are req_1, req_2, … of the session; a session that is attached again has the
//     same ids, because they are counted in the journal.
//   - A slow client slows its conversations down, and nothing else.
//
// # Bounds
//
// A line has at most 20 MiB; a longer one is skipped and answered with an error. There are at
// most 256 connections with 256 sessions each.
//
// # On a crash
//
// When the daemon ends, its clients here stay connected; conversations go on with the next
// daemon, from the last event. When this process ends, sessions go on in the daemon: a client
// connects again and sends attach_session, with the number of the last event it has. Nothing
// here is stored.
package socket
