// Package local is how a daemon and its clients meet on one machine: over a Unix
// socket, or on Windows over a named pipe. Which one an address means is seen by its
// form ([IsPipe]).
//
// Who may come is decided by the operating system. A socket lies in a directory that
// only its owner may enter; a pipe has a security descriptor that names its owner and
// nobody else ([Descriptor]). The first process may make a pipe of any name, so a client
// asks whose it is before it says a word.
package local
