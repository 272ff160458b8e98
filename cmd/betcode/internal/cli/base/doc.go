// Package base has the code that commands share: streams, settings, the connection to the daemon, and checks of arguments.
//
// It has no commands. A group of commands is a package beside this one, or a file of package cli; both embed [Program].
package base
