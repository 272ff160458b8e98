// Package foreignportal is a portal of somebody else, for tests: the backend of the reference, in
// its three generations, with its faults. A session of betcode registers there as a proxy.
//
// # Who owns what
//
// A [Database] is what the reference keeps in its tables: sessions, lines, inputs that no proxy has
// acknowledged, the newest request of a session, and tokens. A [Peer] is one connection of a proxy:
// frames in, frames out, without I/O, so that a test can cut it at any frame. A [Server] has both behind
// a WebSocket, and the HTTP routes of the device login.
//
// # The faults of the reference, which are kept
//
//   - The last acknowledged number of a session is in memory: [Database.Forget] loses it, as a
//     restart does. A missing one is 0, so that a line with the number 0 is never stored.
//   - A line with a number that is not above it is acknowledged and dropped.
//   - What was sent while the proxy was away is flushed before RegisterAck, where proxies throw it
//     away. Inputs come again after it, answers do not.
//   - One request is kept for a session; any answer deletes it.
//   - Inputs are repeated at each registration until they are acknowledged.
//
// # Strictness
//
// What a reader of the generation could not decode, or its columns could not hold, is in
// [Database.Complaints]. A test that ends with complaints has failed.
package foreignportal
