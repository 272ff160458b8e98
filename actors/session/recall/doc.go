// Package recall compares what a session knows of its work with what the agent's transcript has, when the agent's process is gone.
//
//	Ask     which messages may be in the transcript, and whether the journal may be older than it
//	Read    reads the transcript; it does I/O, on the goroutine of its caller
//	Judge   which messages are part of the conversation, and whether its turn was interrupted or has ended
//
// The agent would recognise some of the messages that it has had by their uuid, but not all (record 12), and the end of a turn may be
// missing in the journal (record 320). The session keeps nothing of this package: it asks again after a crash.
package recall
