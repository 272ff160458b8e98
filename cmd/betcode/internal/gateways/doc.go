// Package gateways runs gateways as processes beside the daemon: it opens their sockets, admits
// their clients, and connects them to the daemon as a client like any other.
//
// A gateway has a socket in a directory that only its user may enter. Clients are processes of
// that user that no agent has started; package grpcapi/auth decides this as for the daemon. Each
// client has a connection to the daemon, with a client id of its own.
//
// After a crash the socket file is left behind. The next gateway dials it, and replaces it if no
// process answers. Sessions live in the daemon; for them only a client has disconnected.
package gateways
