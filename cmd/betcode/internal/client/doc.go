// Package client connects a command to the daemon.
//
// A [Client] is a connection for single calls. A [Conversation] is one session
// over any number of connections: when the stream breaks it reconnects with the
// backoff of the reconnection document and resumes after its cursor, so that a
// reader of [Conversation.Items] sees every journaled event once and in order.
//
// # What is promised
//
//   - An event with a sequence is delivered once; events that a reconnection repeats
//     are dropped by their sequence.
//   - A user message is sent again, with the same key, until its UserInput event
//     has been received or it was refused. The daemon accepts it once.
//   - An answer to a permission or a question is sent again until it is resolved:
//     the first answer counts.
//   - An interrupt or a change of settings is not sent again. It is reported as lost
//     if the connection broke before it was sent.
//
// # Who owns what
//
// The ledger (ledger.go) is plain data and keeps these promises. A Conversation has
// one goroutine that connects and receives, and one for each connection that sends.
// Both end with the Conversation.
package client
