// Package machine tells what this computer is and what it has to work with.
//
// Its id is random and kept in a file of the daemon's state directory: a host name
// changes, a board's serial number is nobody's business, and two state directories on
// one computer are two machines for a client that is connected to both. Everything else is
// asked of the system each time. Nothing here runs by itself.
package machine
