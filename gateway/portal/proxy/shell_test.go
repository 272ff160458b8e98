package proxy

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"betcode/gateway/portal/proxy/proxytest"
	pb "betcode/proto/betcode/v1"
)

// The proxy retries a backend that cannot be reached or does not answer, with growing delays.
func TestBackoff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(proxytest.NewDatabase(3), func(*line) error { return errors.New("no route") })
		d.after(95 * time.Second)
		if got, want := seconds(d.dials), []int{0, 1, 3, 7, 15, 31, 61, 91}; !slices.Equal(got, want) {
			t.Errorf("dials at %v, want %v", got, want)
		}
		d.end(t)
	})
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(proxytest.NewDatabase(1), func(l *line) error {
			l.mute.Store(true)
			return nil
		})
		d.after(30 * time.Second)
		if got, want := seconds(d.dials), []int{0, 11, 23}; !slices.Equal(got, want) { // 10 s for RegisterAck
			t.Errorf("dials at %v, want %v", got, want)
		}
		d.end(t)
	})
	if backoff(2, 0) != 4*time.Second || backoff(2, 1) >= 4*time.Second || backoff(99, 0.5) != 27*time.Second {
		t.Error(backoff(2, 0), backoff(2, 1), backoff(99, 0.5))
	}
}

// A good connection resets the delays; a refused one does not.
func TestBackoffIsReset(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(proxytest.NewDatabase(2), func(*line) error { return nil })
		d.after(time.Second)
		for range 3 { // short ones
			d.lines[len(d.lines)-1].Close()
			d.after(20 * time.Second)
		}
		d.after(40 * time.Second)
		d.lines[len(d.lines)-1].Close()
		d.after(20 * time.Second)
		got := seconds(d.dials)
		if len(got) != 5 || got[4]-got[3] > 60 {
			t.Errorf("dials at %v", got)
		}
		last := d.dials[4] - (time.Since(d.began) - 20*time.Second)
		if last.Round(time.Second) != time.Second {
			t.Errorf("the connection after a good one came after %s", last)
		}
		d.end(t)
	})
}

// Proxies of G2 and G3 send a heartbeat each second, and leave a silent backend. Those of G1
// neither send nor answer heartbeats: two peers of that generation would answer each other without
// end.
func TestHeartbeats(t *testing.T) {
	t.Parallel()
	for generation := 1; generation <= 3; generation++ {
		synctest.Test(t, func(t *testing.T) {
			d := newDesk(proxytest.NewDatabase(generation), func(*line) error { return nil })
			d.after(time.Minute)
			d.db.Send(sessionID, proxytest.Frame{"type": "Heartbeat"})
			d.after(time.Minute)
			s, _ := d.db.Session(sessionID)
			beats := d.lines[0].wrote(`"Heartbeat"`)
			switch {
			case generation == 1 && (beats != 0 || d.lines[0].pings.Load() < 7):
				t.Errorf("%d heartbeats, %d pings", beats, d.lines[0].pings.Load())
			case generation > 1 && (beats < 118 || s.Heartbeats != beats):
				t.Errorf("%d heartbeats in two minutes", beats)
			}
			d.lines[0].mute.Store(true)
			d.after(20 * time.Second)
			if want := min(generation, 2); len(d.dials) != want { // G1 has pings instead
				t.Errorf("G%d: %d connections, want %d", generation, len(d.dials), want)
			}
			d.end(t)
			for _, c := range d.db.Complaints() {
				t.Error(c)
			}
		})
	}
}

// A backend that does not read stops the stream of events, and the proxy leaves it after 30 seconds.
func TestSlowBackend(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(proxytest.NewDatabase(2), func(*line) error { return nil })
		d.after(time.Second)
		d.lines[0].deaf.Store(true)
		put := 0
		for n := range uint64(100) {
			select {
			case d.daemon.events <- &pb.AgentEvent{Sequence: n + 1, Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: "x"}}}:
				put++
			case <-time.After(100 * time.Millisecond):
			}
		}
		if put > 3 {
			t.Errorf("%d events were taken for a backend that reads nothing", put)
		}
		d.after(40 * time.Second)
		if len(d.dials) < 2 {
			t.Error("it holds on to the backend")
		}
		d.end(t)
	})
}

// While the daemon does not accept inputs, the backend is not read, and not considered silent.
func TestManyInputs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(proxytest.NewDatabase(3), func(*line) error { return nil })
		d.after(time.Second)
		for range 3 * maxInputs {
			d.db.Say(sessionID, "x", "", "")
		}
		d.after(time.Minute)
		if len(d.daemon.sent) != maxInputs || len(d.dials) != 1 {
			t.Errorf("%d inputs were sent to the daemon on %d connections", len(d.daemon.sent), len(d.dials))
		}
		d.end(t)
	})
}

// A permanently refused proxy ends; a temporarily refused one retries.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		generation int
		text       string
		retryable  bool
		final      bool
	}{
		{1, "Authentication failed - please re-authenticate", false, false},
		{2, "Authentication failed - please re-authenticate", false, false},
		{3, "Session not found or not authorized", false, true},
		{3, "Server temporarily unavailable - retrying", true, false},
		{3, "Database connection failed", false, false}, // of an older backend
	} {
		synctest.Test(t, func(t *testing.T) {
			db := proxytest.NewDatabase(c.generation)
			db.Refuse, db.Retryable = c.text, c.retryable
			d := newDesk(db, func(*line) error { return nil })
			d.after(10 * time.Second)
			select {
			case err := <-d.ended:
				if !c.final || err == nil || !strings.Contains(err.Error(), c.text) {
					t.Errorf("%v: ended with %v", c, err)
				}
			default:
				if c.final || len(d.dials) < 3 {
					t.Errorf("%v: %d connections", c, len(d.dials))
				}
				d.end(t)
			}
			d.cancel()
			time.Sleep(time.Second)
		})
	}
}
