package auth

import (
	"context"
	"crypto/sha256"

	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"betcode/grpcapi/wire"
)

// IdempotencyKey is the metadata key of a call's idempotency key, a UUID. A client may repeat a
// call that changes a session under the same key, and it takes effect once. If the request has a
// field for the key, that field has precedence.
//
// For 30 days, also after a restart of the daemon, a repetition gets the stored answer. The same
// key with another request is refused. Keys belong to a session, so a repetition must name the
// session in the same way; an answer to a permission request may name none. The daemon itself
// stores keys of calls that change a worktree, a repository or a branch. Other calls are idempotent
// and ignore the key.
const IdempotencyKey = "x-idempotency-key"

// noteKey records the key of a call and the digest of its request.
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
	if err != nil { // impossible: a decoded message can be encoded
		return nil
	}
	h.Write(body)
	return h.Sum(nil)
}
