// Package local connects clients and daemons on one machine: over a Unix socket, or on
// Windows over a named pipe. The form of an address says which ([IsPipe]).
//
// The operating system decides which users may connect. The directory of a socket is
// closed to other users; a pipe has a security descriptor that names its owner only
// ([Descriptor]). Any process may be the first to create a pipe of some name, so a client
// checks the owner before it sends anything.
package local
