// Package grpcapi is the gateway: it serves betcode.v1 over gRPC. It makes no decisions about
// sessions. A handler translates a request into a message, sends it to the actor system, and
// translates the answer back.
//
// # Packages
//
// This package has the server, and the services for sessions and for the daemon itself. Package fleet
// serves subagents and orchestrations, and package repository serves repositories and worktrees.
// Package gitlab is the only service that no actor answers. They share package handler, which has the
// common form of handlers, and package translate, which is pure. Package auth decides which calls are
// served. Package wire decodes messages and converts errors to statuses. Package version compares
// versions and features.
//
// # Who owns what
//
// [Server] owns the gRPC server. Requests are answered by a [handler.Asker], which the actor
// system implements; this package imports neither the actor system nor the journal, so its tests
// need neither.
//
// One stream has one sender. A Converse handler sends on its own goroutine, which also takes events
// from its [Stream], and receives on another one. They communicate through bounded channels.
//
// # Guarantees and their order
//
//   - Headers are sent before anything is received: some clients wait for them.
//   - The bytes of a [messages.Event] are sent unchanged, without decoding or encoding.
//   - Requests of one stream are handled in order, one at a time. An error in one of them is an
//     ErrorEvent on the same stream (sequence 0), which stays open. An ErrorEvent with is_fatal is
//     the last event, and the status of the stream has the same error.
//   - Every error has a gRPC code from one table (wire/errors.go) and, as an
//     errdetails.ErrorInfo, a code for programs.
//   - The stream of a client that half-closes ends with OK when no turn runs and no message waits.
//     A client that disconnects is detached; its session continues.
//
// # Bounds of a request
//
// A message may have 64 MiB, including attachments (Options.MaxMessageBytes). Text may have 3 MiB,
// so that its event stays below the 4 MiB that most clients accept.
//
// # On a crash
//
// A panic in a handler is logged with its stack and answered with INTERNAL. It ends only its own
// stream. Nothing here survives a restart: clients reconnect with their last sequence.
package grpcapi
