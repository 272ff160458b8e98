package grpcapi

import (
	"context"

	"google.golang.org/protobuf/proto"

	"betcode/grpcapi/door"
	"betcode/messages"
)

// underKey is a request of a stream, under the key that its message has, if any.
func underKey(key, what string, said proto.Message, r messages.SessionRequest) messages.Request {
	if key == "" {
		return r
	}
	return messages.Once{Key: key, Digest: door.Digest(what, said), Request: r}
}

// act asks for a change to a session: once, if the client has named its call.
func act[R messages.Reply](ctx context.Context, a Asker, r messages.SessionRequest) (R, error) {
	if c := door.CallOf(ctx); c.Key != "" {
		return ask[R](ctx, a, messages.Once{Key: c.Key, Digest: c.Digest, Request: r})
	}
	return ask[R](ctx, a, r)
}
