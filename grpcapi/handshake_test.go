package grpcapi

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
)

// A connection that sends nothing, or half of a handshake, is closed.
func TestSilentConnection(t *testing.T) {
	for name, sent := range map[string]string{
		"nothing": "", "half of the preface": http2.ClientPreface[:10], "no settings": http2.ClientPreface,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := New(Options{Asker: &fakeAsker{}, Credentials: insecure.NewCredentials()})
				l := bufconn.Listen(1 << 20)
				done := make(chan error, 1)
				go func() { done <- s.Serve(l) }()
				conn, err := l.Dial()
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				if _, err := io.WriteString(conn, sent); err != nil {
					t.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, conn) // until it is closed
				if took := time.Since(began); took != handshakeTimeout {
					t.Errorf("closed after %v", took)
				}
				conn.Close()
				if err := s.Shutdown(t.Context()); err != nil {
					t.Error(err)
				}
				<-done
			})
		})
	}
}
