// Package transcript reads Claude Code's record of a conversation on disk: lines of JSON, one for
// each message, answer and event.
//
// The file is written by a program that a model steers, so every read has a bound and a line that
// is not understood is skipped. The package opens no file and keeps nothing between calls. A torn
// transcript is read up to its last complete line.
package transcript
