// Package notices is the actor that takes notices to people who do not watch.
//
// Sessions send it [Raise]. It keeps one delivery for each channel that settings name, delivers what is due, and tries again
// what fails: after 5 s, then twice as long each time up to ten minutes, for a day. During quiet hours deliveries wait. More
// than three that are due on one channel become one notice that lists them.
//
// # Who owns what
//
// The actor owns the files of its deliveries, one for each, and its timer. Package notify delivers; it runs on a worker of the
// actor, one for each channel, so that a slow server delays no program.
//
// # What is promised in which order
//
// A delivery is on disk before it is tried, and its file is removed after it has arrived. Two equal notices that wait are one.
// Before a notice about a request is delivered, the actor looks whether the request still waits: a decided one is dropped. At
// most 500 deliveries wait; the oldest make room, with a line in the log. Every notice is an event of its session as well.
//
// # On a crash
//
// Deliveries are read from their files and tried again: a notice may arrive twice, with the same idempotency key. A notice
// that a session raised in the instant of the crash may be lost; its event is in the journal.
package notices
