// Package proxytest is the backend of somebody else's portal, for tests: that of the reference, in its
// three generations, with its faults. It does no I/O; package tests/foreignportal has it behind a
// WebSocket.
//
// # Who owns what
//
// A [Database] is what the reference keeps in its tables: sessions, lines, inputs that no proxy has
// acknowledged, and the newest request of a session. A [Peer] is one connection of a proxy: frames in,
// frames out, so that a test can cut it at any frame.
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
package proxytest
