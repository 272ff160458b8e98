package grpcapi

import (
	"context"
	"crypto/sha256"

	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"betcode/grpcapi/wire"
	"betcode/messages"
)

// IdempotencyKey is the metadata key under which a client names a call that changes a
// session, so that it may make it again without it being done again: a UUID. Where a
// request has a field for it, the field counts.
//
// The same key is answered with the same answer for 30 days, by this daemon and the
// next; for another request it is refused. Keys belong to a session, so the session
// must be named in the same way, or, for an answer to a permission request, not at all.
// Calls that change no session have none, and need none: they say what shall be, not
// what shall be done.
const IdempotencyKey = "x-idempotency-key"

// noteKey reads the key of a call, and what its request is recognised by.
func noteKey(ctx context.Context, req any) error {
	keys := metadata.ValueFromIncomingContext(ctx, IdempotencyKey)
	if len(keys) == 0 {
		return nil
	}
	c := callOf(ctx)
	if c.key = wire.CanonicalUUID(keys[0]); c.key == "" {
		return wire.Invalid("identify request", "Use a UUID of 36 characters, or leave it out.", "the metadata %s is not a UUID", IdempotencyKey)
	}
	if m, ok := req.(proto.Message); ok {
		c.digest = digestOf(c.method, m)
	}
	return nil
}

// digestOf is what a request is recognised by.
func digestOf(method string, m proto.Message) []byte {
	h := sha256.New()
	h.Write([]byte(method + "\x00"))
	body, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil { // it came as one, so it can be one
		return nil
	}
	h.Write(body)
	return h.Sum(nil)
}

// underKey is a request of a stream, under the key that its message has, if any.
func underKey(key, what string, said proto.Message, r messages.SessionRequest) messages.Request {
	if key == "" {
		return r
	}
	return messages.Once{Key: key, Digest: digestOf(what, said), Request: r}
}

// act asks for a change to a session: once, if the client has named its call.
func act[R messages.Reply](ctx context.Context, a Asker, r messages.SessionRequest) (R, error) {
	if c := callOf(ctx); c.key != "" {
		return ask[R](ctx, a, messages.Once{Key: c.key, Digest: c.digest, Request: r})
	}
	return ask[R](ctx, a, r)
}
