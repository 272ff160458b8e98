// Package ruleset parses the permission rules of settings files, keeps the present ones, and
// compares two versions of them.
//
// # Who owns what
//
// The system owns one [Live] and is its only writer. A [Set] is never changed: sessions and queries keep one for as long as
// they decide with it.
//
// # What is promised
//
// A rule that cannot be parsed is among the problems of its [Set] and decides nothing. A rule whose argument only the agent
// understands is among them too: it allows nothing, and where it asks or denies, a person is asked.
//
// # On a crash
//
// Nothing is stored here: the daemon reads the settings files again when it starts.
package ruleset
