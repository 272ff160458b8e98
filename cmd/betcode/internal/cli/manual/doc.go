// Package manual writes the pages about the command line from the table of commands: docs/cli.md and the pages of man.
//
// It only reads commands and writes text, so the pages cannot say what the program does not do. A test of package cli holds
// docs/cli.md against the table; the pages of man are written when the program is installed or released.
package manual
