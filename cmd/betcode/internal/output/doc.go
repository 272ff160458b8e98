// Package output prints the result of a command, one object or a list, in the form that the caller chooses.
//
// A command returns a [View]: the value with the name of its schema for programs, and columns or a text for people. The
// flags of [Flags] choose the form; [Printer] writes it. No command reads these flags itself, so each form is the same
// everywhere.
//
// The forms for programs are a contract. The schema name of a value has a version, the golden files of the tests have
// the names and the kinds of its fields, and removing a field or changing its kind needs a new version. In these values
// integers are JSON numbers and lists without elements are [].
//
// The package keeps no state and calls no daemon: the caller fetches, also for each round of --watch.
package output
