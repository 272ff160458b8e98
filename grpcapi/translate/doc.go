// Package translate turns the messages of betcode.v1 into those of package messages, and back.
//
// It is pure: no call, no actor, no clock but the one that is handed in. There is a file for each subject, both directions side
// by side. Functions that end in In check a request as well: an unknown value, a malformed id or text beyond the bounds of
// checks.go is an error of the kind Invalid, with a hint for the person who reads it. Functions that end in Out translate every
// value, and replace bytes that are not UTF-8.
//
// The command line uses it too: it reads a journal itself when no daemon has it open.
package translate
