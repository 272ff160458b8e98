// Package client is the actor of one attached stream: its place in the history, and its outbox.
//
// The session publishes events to the actor, which pushes them into an [Outbox]; the gateway takes them from there. A client
// that is too slow catches up from the journal. See [State].
//
// # What is promised in which order
//
// Every journaled event is pushed once, in the order of the numbers. The greeting comes first, undecided prompts when the head
// is reached. A lagging client may lose events that are not journaled; it gets an event that reports the loss.
//
// # Who owns what
//
// The actor owns its place in the history. It shares the bytes of events with the journal and all other streams. The outbox is
// shared with the gateway; pushing never waits.
//
// # On a crash
//
// Nothing survives. The actor closes its outbox with [ErrDetached], and the gateway attaches the stream again behind the last
// number that it has delivered.
package client
