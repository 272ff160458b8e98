// Package handler has what the handlers of all services share: the actor system as they see it, and the form of a unary handler.
//
// It owns nothing. [Asker] is implemented by the command that joins gateway and actors; errors of its answers are
// [*messages.Error] or those of the context, and become statuses in package wire. [Once] makes a change under an idempotency
// key take effect once, also across a restart: the session keeps the result. [Patient] returns when the daemon shuts down,
// so that no call delays that.
package handler
