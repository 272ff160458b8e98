package client

import (
	"context"
	"crypto/tls"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// Remote is how to reach a daemon over TCP.
type Remote struct {
	Address string      // host:port
	Token   string      // sent with every call
	TLS     *tls.Config // nil = without TLS, for loopback only
}

func (r *Remote) dial(id Identity) (*grpc.ClientConn, error) {
	transport := insecure.NewCredentials()
	if r.TLS != nil {
		transport = credentials.NewTLS(r.TLS)
	}
	options := append(common(id), grpc.WithTransportCredentials(transport), grpc.WithPerRPCCredentials(bearer(r.Token)))
	return grpc.NewClient("passthrough:///"+r.Address, options...)
}

// bearer adds a token to the metadata of every call.
type bearer string

// GetRequestMetadata implements credentials.PerRPCCredentials.
func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(b)}, nil
}

// RequireTransportSecurity implements credentials.PerRPCCredentials. package
// config refuses tokens without TLS for addresses of other machines.
func (bearer) RequireTransportSecurity() bool { return false }
