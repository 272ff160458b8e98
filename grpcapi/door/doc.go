// Package door decides which calls the gateway serves: it identifies callers, checks their
// rights and limits, and writes the access log and the audit log. It knows the methods and
// requests of betcode.v1, and nothing about sessions beyond whether one exists.
//
// # Who owns what
//
// [Interceptor] owns the limits, the counters of calls and refusals, and the reader of
// requests. The credentials identify a connection once: by the peer credentials of the Unix
// socket, or by the address over TCP. A [Call] is what is known about one call; the
// handler's goroutine owns it. Tokens and the audit log are behind the interfaces [Tokens]
// and [Auditor].
//
// # What is promised, in what order
//
//  1. Nothing of a request is read before its caller is authenticated, within its limits,
//     and allowed to call the method. Methods not listed in the table are denied.
//  2. Rate limits come before anything that writes to a log, and repeated refusals of one
//     caller are counted and logged once a minute.
//  3. Each request on a stream is checked again; a refused request leaves the stream open.
//  4. A call that needs the right admin leaves an entry in the audit log, refused or not.
//  5. A stream ends when the token of its caller is revoked or expires.
//
// # On a crash
//
// A panic in a handler is logged with its stack and becomes an error of that call. Nothing
// here survives a restart: limits and counters begin anew.
package door
