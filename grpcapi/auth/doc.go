// Package auth decides which calls the gateway serves: it identifies callers, checks their rights
// and limits, and writes the access log and the audit log. It knows the methods and requests of
// betcode.v1. About sessions it knows only whether one exists.
//
// # Who owns what
//
// [Interceptor] owns the limits, the counters of calls and refusals, and the reader of requests.
// The credentials identify a connection once: by the peer credentials of the Unix socket, or by the
// address over TCP. A [Call] is the state of one call; the handler's goroutine owns it. Tokens and
// the audit log are behind the interfaces [Tokens] and [Auditor].
//
// # Guarantees and their order
//
//  1. The interceptor reads nothing of a request before its caller is authenticated, within its
//     limits, and allowed to call the method. Methods not listed in the table are denied.
//  2. Rate limits are checked before anything writes to a log. Repeated refusals of one caller are
//     counted and logged once a minute.
//  3. Each request on a stream is checked again; a refused request leaves the stream open.
//  4. The audit log gets an entry for each call that needs the right admin, refused or not.
//  5. A stream ends when the token of its caller is revoked or expires.
//
// # On a crash
//
// A panic in a handler is logged with its stack and becomes an error of that call. Nothing
// here survives a restart: limits and counters begin anew.
package auth
