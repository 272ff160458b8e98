package places

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// A caller leaves as many places free as it has, so another caller always finds one.
func TestTake(t *testing.T) {
	p := New(16)
	for _, c := range []struct {
		caller string
		want   int
	}{{"greedy", 8}, {"second", 4}, {"third", 2}, {"fourth", 1}, {"fifth", 1}, {"sixth", 0}} {
		got := 0
		for range 20 {
			if _, ok := p.Take(c.caller); ok {
				got++
			}
		}
		if got != c.want {
			t.Errorf("%s got %d places, want %d", c.caller, got, c.want)
		}
	}
}

func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, held := New(rapid.IntRange(1, 40).Draw(t, "most")), map[string][]func(){}
		count := func() (n int) {
			for _, all := range held {
				n += len(all)
			}
			return n
		}
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			caller := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "caller")
			if all := held[caller]; len(all) > 0 && rapid.Bool().Draw(t, "leaves") {
				all[0]()
				held[caller] = all[1:]
				continue
			}
			had, all := len(held[caller]), count()
			leave, ok := p.Take(caller)
			if ok != (had < p.most-all) {
				t.Fatalf("a caller with %d of %d places: %v", had, all, ok)
			}
			if ok {
				held[caller] = append(held[caller], leave)
			}
			if n := count(); n != p.all || n > p.most {
				t.Fatalf("%d places are taken, and %d counted, of %d", n, p.all, p.most)
			}
		}
	})
}

// Waiting callers get a place when one is released, or end with their context.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(2)
		leave, err := p.Wait(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := p.Wait(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		got := make(chan error, 2)
		for range 2 {
			go func() {
				leave, err := p.Wait(t.Context(), "a")
				if err == nil {
					leave()
				}
				got <- err
			}()
		}
		synctest.Wait()
		leave()
		for range 2 {
			if err := <-got; err != nil {
				t.Error(err)
			}
		}
	})
}

// from is a connection of an address.
type from struct {
	net.Conn
	name   string
	closed bool
}

func (f *from) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.ParseIP(f.name), Port: 1}
}

// Close implements net.Conn.
func (f *from) Close() error { f.closed = true; return nil }

// A flood closes only its own connections, oldest first, and no upgraded ones.
func TestConnections(t *testing.T) {
	c, all := Bound(4), []*from{}
	arrive := func(name string) *from {
		conn := &from{name: name}
		all = append(all, conn)
		c.State(conn, http.StateNew)
		return conn
	}
	upgraded := arrive("10.0.0.1")
	c.State(upgraded, http.StateHijacked)
	person, left := arrive("10.0.0.2"), arrive("10.0.0.2")
	c.State(left, http.StateClosed)
	var flood []*from
	for range 10 {
		flood = append(flood, arrive("10.0.0.1"))
	}
	if upgraded.closed || person.closed {
		t.Error("a flood closes connections of others")
	}
	for i, conn := range flood {
		if want := i < 7; conn.closed != want {
			t.Errorf("connection %d of the flood: closed %v", i, conn.closed)
		}
	}
	if len(c.all) != 4 {
		t.Errorf("%d are known", len(c.all))
	}
}
