// Package ui is the screen of all sessions: a list by urgency, and a view of each session that is opened.
//
// [Model] is the state of the list. It is plain data: sessions, keys and times go in; rows and effects come out. A session that is
// opened is a chat.Model with its chat.Shell, drawn on the same screen.
//
// [Run] owns the Bubble Tea program, a request for the list each second, or every five seconds while the terminal has no focus,
// and a conversation with one goroutine for each opened session, of which there are at most [maxOpen]. Update never blocks.
//
// The screen requests the list again after each answer, so it reconnects to a restarted daemon by itself, and so do the
// conversations. Until then it shows the last list, and the time since then.
package ui
