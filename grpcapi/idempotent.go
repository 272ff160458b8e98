package grpcapi

import (
	"google.golang.org/protobuf/proto"

	"betcode/grpcapi/auth"
	"betcode/messages"
)

// underKey returns a request of a stream under the idempotency key of its message, if any.
func underKey(key, what string, message proto.Message, r messages.SessionRequest) messages.Request {
	if key == "" {
		return r
	}
	return messages.Idempotent{Key: key, Digest: auth.Digest(what, message), Request: r}
}
