package grpcapi

import (
	"google.golang.org/protobuf/proto"

	"betcode/grpcapi/door"
	"betcode/messages"
)

// underKey returns a request of a stream under the idempotency key of its message, if any.
func underKey(key, what string, message proto.Message, r messages.SessionRequest) messages.Request {
	if key == "" {
		return r
	}
	return messages.Once{Key: key, Digest: door.Digest(what, message), Request: r}
}
