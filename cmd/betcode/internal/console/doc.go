// Package console has the input and output of a command: the standard streams, the terminal behind them, and the text,
// tables and JSON that commands print.
//
// Data goes to standard output, messages for a person go to standard error. A table is aligned, with a header and
// shortened values, on a terminal; elsewhere it is one line per row with tabs between whole values. JSON that a command
// prints for programs has a schema name, for example "betcode.session.list/v2"; its shape is a contract.
//
// Text of agents, repositories and other clients is untrusted: it passes through [Text] or [Line], which escape
// anything that could move the cursor, change the title, answer a query of the terminal, or is invisible.
package console
