package grpcapi

import (
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
)

// A client that pings too often gets the reason, and its connection is closed.
func TestImpatientPings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dialLink(t)
		for range 5 {
			w.ping()
		}
		if gone, ok := received[goneAway](w); !ok || gone.code != http2.ErrCodeEnhanceYourCalm || gone.why != "too_many_pings" {
			t.Errorf("it is told %+v", gone)
		}
		if _, more := received[goneAway](w); more {
			t.Error("and told again")
		}
	})
}

// A published client pings every 30 s, with a stream or without one.
func TestPatientPings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dialLink(t)
		for n := range 120 {
			w.ping()
			if pong, ok := received[pinged](w); !ok || !pong.answer {
				t.Fatalf("ping %d is not answered: %+v", n, pong)
			}
			time.Sleep(30 * time.Second)
		}
	})
}

// A connection without answers to pings is closed.
func TestClientThatAnswersNoPing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dialLink(t)
		began := time.Now()
		if ping, ok := received[pinged](w); !ok || ping.answer || time.Since(began) != pingAfter {
			t.Fatalf("after %v it is asked %v", time.Since(began), ping)
		}
		if _, ok := received[pinged](w); ok {
			t.Error("it is asked again")
		}
		if gone := time.Since(began); gone != pingAfter+pingTimeout {
			t.Errorf("the connection ended after %v", gone)
		}
	})
}

// The server announces the limit of concurrent calls on a connection, and refuses calls beyond it.
func TestMostStreams(t *testing.T) {
	w := dialLink(t)
	if most, ok := received[announced](w); !ok || most != maxStreams {
		t.Fatalf("%d streams are announced", most)
	}
	for n := range uint32(maxStreams + 1) {
		w.watch(2*n + 1)
	}
	if got, _ := received[reset](w); got != (reset{2*maxStreams + 1, http2.ErrCodeRefusedStream}) {
		t.Errorf("refused is %+v", got)
	}
}
