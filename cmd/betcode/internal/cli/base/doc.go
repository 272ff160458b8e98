// Package base has what every command works with: streams, settings, the connection to the daemon, and checks of arguments.
//
// It knows no command. A group of commands is a package beside this one, or a file of package cli; both embed [Program].
package base
