// Package transcript turns the events of a session into rows of text for a terminal: Markdown with highlighted code, tool calls
// with diffs and folded output, and notes.
//
// It is plain data. Events go in; rows come out for a width, either once, when they are finished ([Transcript.Take], for output
// that scrolls away), or again and again ([Transcript.Window], for a screen of its own).
//
// # What is promised
//
// Text of agents cannot control the terminal. All text passes through package visible before it is rendered, and package markdown
// writes no escape sequences but colours and attributes: no link with a hidden target, no HTML that disappears.
//
// A growing text is split into chunks at blank lines. A finished chunk is rendered once, so that a long answer does not cost
// more with each word. The number of blocks is bounded; the oldest go first.
package transcript
