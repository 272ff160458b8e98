// Package notices is the actor that delivers notices to people who are not attached to a session.
//
// Sessions send it [Raise]. It keeps one delivery for each channel that settings name, delivers what is due, and retries
// failures with backoff: after 5 s, doubled each time up to ten minutes, for a day. During quiet hours deliveries wait. More
// than three that are due on one channel become one notice that lists them.
//
// # Who owns what
//
// The actor owns the files of its deliveries, one for each, and its timer. Package notify delivers; it runs on workers of the
// actor, one for each channel, so that a slow server delays no program.
//
// # What is promised in which order
//
// A delivery is durable before it is tried, and its file is removed after it has arrived. Two equal notices that wait are one.
// Before a notice about a request is delivered, the actor checks whether the request still waits, and drops it if not. At most
// 500 deliveries wait; beyond that the oldest are dropped, with a line in the log. Every notice is an event of its session too.
//
// # On a crash
//
// Deliveries are read from their files and tried again: a notice may arrive twice, with the same idempotency key. A notice
// that a session raised just before the crash may be lost; its event is in the journal.
package notices
