// Package output prints what a command has to show: one object or a list, in the form that the caller asks for.
//
// A command returns a [View]: the value with the name of its schema for programs, and columns or a text for people. The
// flags of [Flags] choose the form; [Printer] writes it. No command reads these flags itself, so each form is the same
// everywhere.
//
// What programs read is a contract. The schema name of a value carries a version, the golden files of the tests hold the
// names and the kinds of its fields, and a field that is removed or changes its kind takes a new version. In these values
// integers are JSON numbers and lists without elements are [].
//
// The package keeps no state and talks to no daemon: the caller fetches, also for each round of --watch.
package output
