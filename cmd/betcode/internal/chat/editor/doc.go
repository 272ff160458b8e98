// Package editor is a line editor for messages of several lines: text with a cursor, folded pastes, history with search, and
// a list of completions.
//
// It is plain data. Keys and pasted text go in; rows of text for the screen come out. It reads no clock, file or terminal.
//
// A long paste is one element of the text, shown as "[200 lines pasted]". The cursor steps over it, one Backspace removes it, and
// [Editor.Text] contains it in full. No key loses text: Ctrl-_ undoes, and Ctrl-Y inserts the text that the last key cut.
package editor
