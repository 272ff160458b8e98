package main

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

// One connection too many is told why; a place that is given back is taken again.
func TestBoundedListener(t *testing.T) {
	t.Parallel()
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused := make(chan string, 64)
	l := &boundedListener{Listener: plain, most: 2, refused: func(from string) { refused <- from }}
	server := grpc.NewServer()
	healthpb.RegisterHealthServer(server, health.NewServer())
	go server.Serve(l)
	defer server.Stop()

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	connect := func() (*grpc.ClientConn, error) {
		conn, err := grpc.NewClient("passthrough:///"+plain.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		_, err = healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{})
		return conn, err
	}
	first, err := connect()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := connect(); err != nil {
		t.Fatal(err)
	}
	if _, err := connect(); status.Code(err) != codes.ResourceExhausted || !strings.Contains(err.Error(), "too many connections") {
		t.Errorf("one too many is told %v", err)
	}
	if from := <-refused; !strings.HasPrefix(from, "127.0.0.1:") {
		t.Errorf("refused was %q", from)
	}
	first.Close()
	for { // the server has to notice that the first has left
		_, err := connect()
		if err == nil {
			break
		}
		if status.Code(err) != codes.ResourceExhausted {
			t.Fatalf("a place was given back, and the next is told %v", err)
		}
	}
}
