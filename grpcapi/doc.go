// Package grpcapi is the gateway: it serves betcode.v1 over gRPC and decides nothing. A
// handler translates a request into a message, asks, and translates the answer back.
//
// # Rooms
//
// This package has the server, and the services of sessions and of the daemon itself. Package fleet
// serves subagents and orchestrations, package repository repositories and worktrees, and package
// gitlab is the one service that no actor answers. They share package handler, the form of a handler,
// and package translate, which is pure. Package door decides which calls are served, package wire
// turns bytes into messages and errors into statuses, package version compares versions and features.
//
// # Who owns what
//
// [Server] owns the gRPC server. Requests are answered by a [handler.Asker], which the actor
// system implements; this package imports neither the actor system nor the journal, so its tests
// need neither.
//
// One stream has one sender. A Converse handler receives in one goroutine and sends in
// another, its own, which also takes events from its [Stream]; they meet in bounded channels.
//
// # What is promised, in what order
//
//   - Headers are sent before anything is received: some clients wait for them.
//   - The bytes of a [messages.Event] are sent as they are. Nothing is decoded or encoded on
//     that path.
//   - Requests of one stream are handled one after the other, in order. An error in one of
//     them is an ErrorEvent on the same stream (sequence 0), which stays open. An ErrorEvent
//     with is_fatal is the last event, and the status says the same.
//   - Every error has a gRPC code from one table (wire/errors.go) and, as an
//     errdetails.ErrorInfo, a code for programs.
//   - The stream of a client that half-closes ends with OK when no turn runs and no message
//     waits. A client that disconnects is detached; nothing stops because of it.
//
// # Bounds of a request
//
// A message may have 64 MiB, attachments included (Options.MaxMessageBytes); text 3 MiB, so
// that its event stays below the 4 MiB that most clients accept.
//
// # On a crash
//
// A panic in a handler is logged with its stack and answered with INTERNAL; the stream it
// happened on ends, no other. Nothing here survives a restart: clients reconnect from their
// last sequence.
package grpcapi
