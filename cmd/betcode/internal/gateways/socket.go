package gateways

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/rs/zerolog"

	"betcode/actors"
	"betcode/cmd/betcode/internal/client"
	"betcode/config"
	"betcode/gateway/socket"
	"betcode/grpcapi/auth"
	"betcode/messages"
)

// SocketOptions configure the gateway of the agent socket.
type SocketOptions struct {
	Path   string        // of its socket, absolute
	Keep   bool          // sessions of clients that disconnect
	Daemon config.Client // how the daemon is reached
	Ready  io.Writer     // gets a line when clients may connect
	Log    io.Writer
}

// Socket serves the agent socket until ctx ends.
func Socket(ctx context.Context, o SocketOptions) (err error) {
	listener, remove, err := listen(o.Path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	log := zerolog.New(o.Log).With().Timestamp().Logger()
	local := auth.NewLocal(actors.BelowAgent, &log)
	defer local.Close()
	server := socket.New(socket.Options{
		Keep: o.Keep, Logger: &log,
		Connect: func(name string) (socket.Daemon, error) {
			cl, err := client.Open(o.Daemon, client.Identity{ID: name, Type: "socket"})
			if err != nil {
				return nil, err
			}
			return daemon{cl}, nil
		},
		Admit: func(conn net.Conn) (net.Conn, error) {
			admitted, err := local.Admit(conn)
			var e *messages.Error
			if errors.As(err, &e) {
				return nil, socket.AdmissionError(e.Error() + ". " + e.Hint)
			}
			return admitted, err
		},
	})
	ready, err := json.Marshal(struct {
		Status string `json:"status"`
		Path   string `json:"socketPath"`
	}{"ready", o.Path})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(o.Ready, "%s\n", ready); err != nil {
		listener.Close()
		return fmt.Errorf("report that the gateway is ready: %w", err)
	}
	return server.Serve(ctx, listener)
}
