// Package proxytest is the backend of a foreign portal, for tests: the reference in its three
// generations, with its faults. It does no I/O; package tests/foreignportal serves it over WebSockets.
//
// # Who owns what
//
// A [Database] has the tables of the reference: sessions, lines, unacknowledged inputs, and the newest
// request of a session. A [Peer] is one connection of a proxy, with frames in and out, so that a test
// can cut it at any frame.
//
// # Faults of the reference that are kept
//
//   - The last acknowledged number of a session is in memory: [Database.Forget] loses it, as a
//     restart does. A missing number is 0, so a line with the number 0 is never stored.
//   - A line with a number that is not above it is acknowledged and dropped.
//   - Frames that were queued while the proxy was away are flushed before RegisterAck, where
//     proxies drop them. Inputs are repeated after it, answers are not.
//   - One request is kept for a session; any answer deletes it.
//   - Inputs are repeated at each registration until they are acknowledged.
//
// # Strictness
//
// [Database.Complaints] lists frames that a reader of the generation could not decode, or that
// exceed its columns. A test that ends with complaints has failed.
package proxytest
