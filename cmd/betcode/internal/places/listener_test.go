package places

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"
)

// During a flood of silent connections the newest are admitted, connections with a token
// stay, and a released place is used again.
func TestListener(t *testing.T) {
	t.Parallel()
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	evicted := make(chan string, 64)
	l := Listen(plain, Limits{Known: 1, Address: 1, Newcomers: 2, Strangers: 2}, func(from string) { evicted <- from })
	connect := func() (client, server net.Conn) {
		t.Helper()
		var d net.Dialer
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		client, err := d.DialContext(ctx, "tcp", plain.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { client.Close() })
		if server, err = l.Accept(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { server.Close() })
		return client, server
	}
	known, knownServer := connect()
	if !knownServer.(*bounded).Introduce() {
		t.Fatal("there is no place for the first connection")
	}
	first, _ := connect()
	connect()
	connect()
	if from := <-evicted; from != first.LocalAddr().String() {
		t.Errorf("%s was closed, the oldest is %s", from, first.LocalAddr())
	}
	first.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := first.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the oldest reads %v", err)
	}
	if _, err := known.Write([]byte("x")); err != nil {
		t.Error(err)
	}
	if _, err := knownServer.Read(make([]byte, 1)); err != nil {
		t.Errorf("a connection with a token is closed: %v", err)
	}
	_, next := connect()
	if next.(*bounded).Introduce() {
		t.Error("there is a place beyond the limit")
	}
	knownServer.Close()
	knownServer.Close()
	if !next.(*bounded).Introduce() {
		t.Error("a released place is not free")
	}
}
