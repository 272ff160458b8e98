// Package fork makes a session that begins with the conversation of another.
//
// The fork is durable with the first record of the new session. That session's first agent makes it, from the message that is the
// last one now. The origin is asked for its state before and after its agent's transcript is read: if the session continued
// meanwhile, the request is refused and can be repeated. A repeated request finds the session that was made.
//
// The package reads the transcript and the journal on the caller's goroutine, and has no state. After a crash the request is
// repeated under its key, the id of the new session.
package fork
