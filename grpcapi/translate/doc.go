// Package translate converts the messages of betcode.v1 to those of package messages, and back.
//
// The package is pure: it makes no calls, and callers pass the time. There is a file for each subject, with both
// directions side by side. Functions whose names end in In also check a request: an unknown value, a malformed id or
// text beyond the bounds of checks.go is an error of kind Invalid, with a hint for people. Functions whose names end in
// Out translate every value, and replace bytes that are not UTF-8.
//
// The command line uses it too, to read a journal that no daemon has open.
package translate
