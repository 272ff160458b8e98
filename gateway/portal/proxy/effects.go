package proxy

import (
	"time"

	"betcode/gateway/portal/wire"
	pb "betcode/proto/betcode/v1"
)

// effect is something that the shell of a connection does.
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
	// lookUp finds the branch out.
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

// outcome is how a connection ended, and what follows.
type outcome struct {
	err   error
	final bool          // the proxy ends with it
	after time.Duration // until the next connection, instead of the backoff
	now   bool          // connect again at once
}
