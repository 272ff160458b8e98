// Package client is how a command talks to the daemon.
//
// A [Client] is a connection for single calls. A [Conversation] is one session
// over as many connections as it takes: when the stream drops it reconnects with
// the backoff of the reconnection document and goes on after the last sequence it
// has, so that a reader of [Conversation.Items] sees every journaled event once
// and in order.
//
// # What is promised
//
//   - An event with a number is delivered once; what a reconnection repeats is
//     dropped by its number.
//   - A user message is sent again, with the same key, until its UserInput event
//     has been seen or it was refused: the daemon takes it once.
//   - An answer to a permission or a question is sent again until it is resolved:
//     the first answer counts.
//   - An interrupt or a change of settings is for now: it is not sent again, and
//     reported as lost if the connection broke under it.
//
// # Who owns what
//
// The ledger (ledger.go) is plain data and decides all of this; a Conversation
// has one goroutine that connects and receives and one per connection that sends.
// Both end when the Conversation does.
package client
