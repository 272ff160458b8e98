// Package machine describes this computer and its resources.
//
// Its id is random and stored in a file of the daemon's state directory: a host name
// changes, a board's serial number is private, and two state directories on
// one computer are two machines for a client that is connected to both. All other facts are
// requested from the system each time. The package has no goroutine.
package machine
