// Package chat is the conversation with an agent on a terminal: output above, an editor below.
//
// # Parts
//
// [Model] is the state. Model.Step takes one message, with the time at which it came, and returns effects as data. It does no
// I/O, so that tests need neither a terminal nor a daemon. Its parts are packages below this one: the editor, the dialog for
// requests, the transcript, and the files of drafts. [Run] owns everything with a goroutine: the Bubble Tea program, the
// conversation with the daemon, a goroutine that passes its events on in batches, and the goroutine of the draft. All of them end
// with Run.
//
// # What is promised
//
//   - Nothing that is typed is lost. The text in the editor, and every message that the daemon has not confirmed, is in the draft
//     file with the next key at the latest. A refused message returns to the editor.
//   - A prompt ignores keys that were not meant for it, see package dialog.
//   - A paste is one message. Keys that follow each other faster than a person types are treated as a paste, so that a line
//     end among them sends nothing.
//   - Events are passed on in batches and drawn at most 60 times a second; a flood of output does not delay keys by more than the
//     time that one batch takes.
//   - Leaving the chat, or the end of this process, does not change the session.
package chat
