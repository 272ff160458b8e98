// Package ui is the screen of all sessions: a list by urgency, and a view of each session that is opened.
//
// [Model] is the state of the list. It is plain data: sessions, keys and times go in; rows and effects come out. A session that is
// opened is a chat.Model with its chat.Shell, drawn on the same screen.
//
// [Run] owns what acts: the Bubble Tea program, one question for the list each second while the screen is seen, and a conversation
// with one goroutine for each opened session, of which there are at most [maxOpen]. Nothing in Update waits.
//
// The list is asked for again after each answer, so a daemon that restarts is found again by itself, and so are the conversations.
// Until then the screen shows what was read last, and since when nothing was.
package ui
