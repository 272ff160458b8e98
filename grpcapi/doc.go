// Package grpcapi is the gateway: it serves betcode.v1 over gRPC and decides
// nothing. A handler translates a request into a message, asks, and translates
// the answer back.
//
// # Who owns what
//
// [Server] owns the gRPC server and its interceptors. What happens to a request
// is behind [Asker], which the actor system implements; this package imports
// neither the actor system nor the journal, so its tests need neither.
//
// One stream has one sender. A Converse handler receives in one goroutine, takes
// events from its [Stream] in another, and sends from the third, its own; the
// three meet in bounded channels.
//
// # What is promised, in what order
//
//   - Headers are sent before anything is received: some clients wait for them.
//   - The bytes of a [messages.Event] go out as they are. Nothing is decoded or
//     encoded on that path.
//   - Requests of one stream are handled one after the other, in their order. What
//     is wrong with one of them is said in an ErrorEvent on the same stream
//     (sequence 0), which stays open; an ErrorEvent with is_fatal is the last
//     event, and the status that follows says the same.
//   - Every error has a gRPC code from one table (errors.go) and, as an
//     errdetails.ErrorInfo, a code for programs.
//   - A client that half-closes is served until no turn runs, then the stream ends
//     with OK. A client that goes away is detached; nothing stops because of it.
//
// # What a request may be
//
// A message may have 64 MiB, attachments included (Options.MaxMessageBytes); text
// 3 MiB, so that its event stays below the 4 MiB that most clients accept. What
// cannot be decoded is an INVALID_ARGUMENT like any other malformed request.
//
// # On a crash
//
// A panic in a handler is logged with its stack and answered with INTERNAL; the
// stream it happened on ends, no other. Nothing here survives a restart, and
// nothing needs to: clients reconnect from their last sequence.
package grpcapi
