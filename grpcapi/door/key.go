package door

import (
	"context"
	"crypto/sha256"

	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"betcode/grpcapi/wire"
)

// IdempotencyKey is the metadata key of a call's idempotency key, a UUID. A client may repeat
// a call that changes a session under the same key: it takes effect once. The field of a
// request, where there is one, has precedence.
//
// A key returns the stored answer for 30 days, also after a restart of the daemon; with
// another request it is refused. Keys belong to a session, so the session must be named in
// the same way, or, for an answer to a permission request, not at all. Keys of calls that
// change a worktree, a repository or a branch are kept by the daemon. Other calls are
// idempotent and ignore the key.
const IdempotencyKey = "x-idempotency-key"

// noteKey stores the key of a call and the digest of its request.
func noteKey(ctx context.Context, req any) error {
	keys := metadata.ValueFromIncomingContext(ctx, IdempotencyKey)
	if len(keys) == 0 {
		return nil
	}
	c := CallOf(ctx)
	if c.Key = wire.CanonicalUUID(keys[0]); c.Key == "" {
		return wire.Invalid("identify request", "Use a UUID of 36 characters, or leave it out.", "the metadata %s is not a UUID", IdempotencyKey)
	}
	if m, ok := req.(proto.Message); ok {
		c.Digest = Digest(c.method, m)
	}
	return nil
}

// Digest returns the digest by which a repeated request is recognised.
func Digest(method string, m proto.Message) []byte {
	h := sha256.New()
	h.Write([]byte(method + "\x00"))
	body, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil { // a decoded message can be encoded
		return nil
	}
	h.Write(body)
	return h.Sum(nil)
}
