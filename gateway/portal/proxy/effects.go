package proxy

import (
	"time"

	"betcode/gateway/portal/wire"
	pb "betcode/proto/betcode/v1"
)

// effect is an action for the shell of a connection.
type effect any

type (
	// say sends a message to the backend.
	say struct{ wire.Message }
	// ask sends a request to the daemon.
	ask struct{ *pb.AgentRequest }
	// save makes the checkpoint durable before the next effect.
	save struct{}
	// open attaches to the session.
	open struct{}
	// lookUp looks up the branch.
	lookUp struct{}
	// keep stores an uploaded file.
	keep struct {
		id, name string
		data     []byte
	}
	// leave ends the connection.
	leave struct{ outcome }
	// terminate ends the proxy as the backend demands.
	terminate struct{ reason string }
)

// outcome is how a connection ended, and whether and when the next one begins.
type outcome struct {
	err   error
	final bool          // the proxy ends too
	after time.Duration // until the next connection, instead of the backoff
	now   bool          // connect again at once
}
