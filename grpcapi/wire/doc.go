// Package wire decodes gRPC messages and converts errors to statuses. It knows the encoding of
// betcode.v1, including the differences of published clients, and nothing about callers or
// sessions.
//
// # Who owns what
//
// [Codec] decodes requests and forwards encoded events. [Reader] reads requests: it owns the memory
// that requests may take, and a [Reservation] is a call's part of it. [Streams] registers services
// so that every call is a stream. [Status], [AsError] and [ErrorEvent] are the only place where
// kinds of errors become codes.
//
// # Guarantees
//
//   - The bytes of a [messages.Event] are sent unchanged, and shared by streams.
//   - A request that cannot be decoded is an INVALID_ARGUMENT, and the stream stays usable.
//   - Requests together take no more memory than Reader allows, compressed or not. A request that
//     is not complete in time ends its call.
//
// Nothing here survives a restart.
package wire
