// Package manual writes the pages about the command line from the table of commands: docs/cli.md and the pages of man.
//
// It only reads commands and writes text, so the pages agree with the program. A test of package cli compares
// docs/cli.md with the table; the pages of man are written when the program is installed or released.
package manual
