package places

import (
	"bytes"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// source is an endless reader.
type source struct{}

func (source) Read(b []byte) (int, error) { return len(b), nil }

// Newcomers read their free bytes at once, then a share of the common rate, and without a
// limit once they have shown a valid token.
func TestWorkOfNewcomers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const free, each, burst = 4 << 10, 16 << 10, 32 << 10
		shared := Work{Free: free, Rate: each, Burst: burst}.shared()
		newcomer := func() *allowance {
			return &allowance{shared: shared, free: free, known: make(chan struct{}), gone: make(chan struct{})}
		}
		read := func(a *allowance, until time.Duration) (bytes int) {
			buffer, began := make([]byte, 8<<10), time.Now()
			for time.Since(began) < until {
				n, err := a.read(source{}, buffer)
				if err != nil {
					t.Fatal(err)
				}
				bytes += n
			}
			return bytes
		}
		first, second := newcomer(), newcomer()
		if n := read(first, 10*time.Second); n < free+burst+9*each || n > free+burst+11*each {
			t.Errorf("in ten seconds it reads %d bytes", n)
		}
		began := time.Now()
		if n, err := second.read(source{}, make([]byte, 8<<10)); n != free || err != nil || time.Since(began) > 0 {
			t.Errorf("another one reads %d bytes after %v, %v", n, time.Since(began), err)
		}
		if n, _ := second.read(source{}, make([]byte, 8<<10)); n != piece { // the next read waits for it
			t.Errorf("then it reads %d bytes", n)
		}
		go func() {
			time.Sleep(10 * time.Millisecond)
			second.introduced()
			second.introduced()
		}()
		if n, err := second.read(source{}, make([]byte, 8<<10)); n != 8<<10 || err != nil || time.Since(began) != 10*time.Millisecond {
			t.Errorf("with a token it reads %d bytes after %v, %v", n, time.Since(began), err)
		}
		if _, err := first.read(source{}, make([]byte, piece)); err != nil {
			t.Fatal(err)
		}
		go func() {
			time.Sleep(time.Millisecond) // less than the rate asks it to wait
			first.ended()
			first.ended()
		}()
		if n, err := first.read(source{}, make([]byte, piece)); n > 0 || !errors.Is(err, net.ErrClosed) {
			t.Errorf("a connection that is closed while it waits reads %d bytes, %v", n, err)
		}
		if n, err := (&allowance{known: make(chan struct{})}).read(source{}, make([]byte, 1<<20)); n != 1<<20 || err != nil {
			t.Errorf("without a bound: %d bytes, %v", n, err)
		}
	})
}

// A connection that waits for the limiter is closed at once.
func TestNewcomerIsClosedWhileItWaits(t *testing.T) {
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	l := Listen(plain, Limits{Known: 1, Address: 1, Newcomers: 1, Strangers: 1, Work: Work{Rate: 1, Burst: piece}}, func(string) {})
	client, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", plain.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Write(bytes.Repeat([]byte("x"), 3*piece)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(server, make([]byte, 2*piece)); err != nil { // the next read waits for the second piece
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { // the limiter would delay it by half an hour
		_, err := server.Read(make([]byte, piece))
		done <- err
	}()
	server.Close()
	if err := <-done; err == nil {
		t.Error("a closed connection is read")
	}
}
