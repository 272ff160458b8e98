// Package handler has the common parts of all handlers: the interface of the actor system, and the form of a unary
// handler.
//
// The package owns nothing. The command that connects gateway and actors implements [Asker]. Its errors are
// [*messages.Error] or those of the context; package wire converts them to statuses. [Idempotent] makes a change under an
// idempotency key take effect once, also across a restart, since the session stores the result. [Patient] returns when
// the daemon shuts down, so that no call delays the shutdown.
package handler
