package foreignproxy

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
)

const ack = `{"type":"RegisterAck","success":true,"session_id":"` + session + `","max_image_mb":10}`

// backend is a server that a test writes by hand: play is called for each connection.
func backend(t *testing.T, play func(ctx context.Context, n int, c *websocket.Conn)) string {
	connections := make(chan int, 1)
	connections <- 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		n := <-connections
		connections <- n + 1
		if _, _, err := c.Read(r.Context()); err == nil { // the Register
			play(r.Context(), n, c)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func say(ctx context.Context, c *websocket.Conn, frames ...string) {
	for _, f := range frames {
		_ = c.Write(ctx, websocket.MessageText, []byte(f))
	}
}

// drain reads until the connection ends.
func drain(ctx context.Context, c *websocket.Conn) {
	for {
		if _, _, err := c.Read(ctx); err != nil {
			return
		}
	}
}

// running runs a proxy whose second takes ten milliseconds, unless o says otherwise. Its limits are as short then, so a test in which
// none of them is to be reached gives it an hour.
func running(t *testing.T, o Options) (p *Proxy, until func(string, func(Seen) bool), ended chan error) {
	o.Session, o.Second, o.Backoff = session, cmp.Or(o.Second, 10*time.Millisecond), 10*time.Millisecond
	p = New(o)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	ended = make(chan error, 2)
	go func() {
		err := p.Run(ctx)
		ended <- err
		ended <- err
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return p, func(what string, done func(Seen) bool) {
		t.Helper()
		if err := p.Until(ctx, what, done); err != nil {
			t.Fatal(err)
		}
	}, ended
}

// G2 and G3 end a connection when they cannot decode a frame, and G1 reads on.
func TestStrictReaders(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{`{"type":"Error","message":"x"}`, `{"type":"NewType"}`, `nonsense`, `{"type":"OutputAck","session_id":"x"}`, "binary"} {
		each(t, func(t *testing.T, generation int) {
			url := backend(t, func(ctx context.Context, _ int, c *websocket.Conn) {
				say(ctx, c, ack)
				if bad == "binary" {
					_ = c.Write(ctx, websocket.MessageBinary, []byte{1})
				} else {
					say(ctx, c, bad)
				}
				say(ctx, c, `{"type":"SequencedInput","session_id":"`+session+`","seq":1,"content":"after"}`)
				drain(ctx, c)
			})
			_, until, _ := running(t, Options{URL: url, Generation: generation})
			if generation == 1 {
				until("it reads on", func(s Seen) bool { return len(s.Inputs) == 1 })
				return
			}
			until("it connects again", func(s Seen) bool { return len(s.Broken) > 0 && s.Registered > 1 })
		})
	}
}

// What comes before the RegisterAck is thrown away; an answer without max_image_mb is none to G2 and G3.
func TestBeforeRegisterAck(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, generation int) {
		input := `{"type":"SequencedInput","session_id":"` + session + `","seq":1,"content":{"type":"human","message":"x"}}`
		url := backend(t, func(ctx context.Context, n int, c *websocket.Conn) {
			if n == 0 && generation > 1 {
				say(ctx, c, `{"type":"RegisterAck","success":true,"session_id":"`+session+`"}`)
			} else {
				say(ctx, c, input, ack, input, input)
			}
			drain(ctx, c)
		})
		p, until, _ := running(t, Options{URL: url, Generation: generation, Second: time.Hour})
		until("prompted", func(s Seen) bool { return len(s.Inputs) >= 2 }) // another connection repeats them
		s := p.Seen()
		if s.Inputs[0].Text != `{"type":"human","message":"x"}` || generation > 1 && len(s.Broken) == 0 {
			t.Errorf("seen %+v", s)
		}
	})
}

// Without an answer G1 and G2 go on, and G3 connects again.
func TestNoRegisterAck(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, generation int) {
		connected := make(chan int, 1000)
		url := backend(t, func(ctx context.Context, n int, c *websocket.Conn) {
			connected <- n
			drain(ctx, c)
		})
		p, until, _ := running(t, Options{URL: url, Generation: generation})
		if generation < 3 {
			until("it goes on", func(s Seen) bool { return s.Registered == 1 })
			return
		}
		for n := range 3 {
			if got := <-connected; got != n {
				t.Errorf("connection %d is number %d", n, got)
			}
		}
		if s := p.Seen(); s.Registered > 0 {
			t.Errorf("seen %+v", s)
		}
	})
}

// A refusal ends G3, unless it is retryable. G1 and G2 connect again in any case.
func TestRefusals(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, generation int) {
		url := backend(t, func(ctx context.Context, n int, c *websocket.Conn) {
			switch n {
			case 0:
				say(ctx, c, `{"type":"RegisterAck","success":false,"session_id":"`+session+`","error":"later","max_image_mb":1,"retryable":true}`)
			case 1:
				say(ctx, c, `{"type":"RegisterAck","success":false,"session_id":"`+session+`","error":"never","max_image_mb":1}`)
			}
			drain(ctx, c)
		})
		p, until, ended := running(t, Options{URL: url, Generation: generation, Second: time.Hour})
		if generation < 3 {
			until("refused", func(s Seen) bool { return len(s.Refused) == 2 })
		} else if err := <-ended; !errors.Is(err, ErrRefused) {
			t.Errorf("it ended with %v", err)
		}
		if got := fmt.Sprint(p.Seen().Refused); got != "[later never]" {
			t.Errorf("refused with %s", got)
		}
	})
}

// Acknowledgements of no more than the last have no effect, and 0 never has. The oldest of too many
// lines are lost.
func TestBuffer(t *testing.T) {
	t.Parallel()
	acks := make(chan string)
	url := backend(t, func(ctx context.Context, _ int, c *websocket.Conn) {
		say(ctx, c, ack)
		go drain(ctx, c)
		for a := range acks {
			say(ctx, c, a)
		}
	})
	p, until, _ := running(t, Options{URL: url, Generation: 1, Second: time.Hour})
	defer close(acks)
	until("registered", func(s Seen) bool { return s.Registered == 1 })
	for range 1100 {
		p.Say(AssistantLine("x"))
	}
	of := func(session string, seq int) {
		acks <- fmt.Sprintf(`{"type":"OutputAck","session_id":"%s","ack_seq":%d}`, session, seq)
	}
	of(session, 0)
	of("0b0e8a10-0000-4000-8000-00000000000b", 1099)
	of(session, 500)
	until("acknowledged", func(s Seen) bool { return s.Acked == 500 })
	of(session, 400)
	of(session, 600)
	until("acknowledged", func(s Seen) bool { return s.Acked == 600 })
	if s := p.Seen(); s.Dropped != 100 || s.Pending != 499 {
		t.Errorf("seen %+v", s)
	}
	if s := p.State(); s.LastAck != 600 || s.Next != 1100 || s.Pending[0].Seq != 601 {
		t.Errorf("state %d %d", s.LastAck, s.Next)
	}
}

// An answer to another request than the newest ends G1. Lines that G1 does not know end it too.
func TestFaultsOfG1(t *testing.T) {
	t.Parallel()
	url := backend(t, func(ctx context.Context, _ int, c *websocket.Conn) {
		say(ctx, c, ack)
		_, _, _ = c.Read(ctx)
		_, _, _ = c.Read(ctx)
		say(ctx, c, `{"type":"PermissionResponse","request_id":"a","allow":true}`)
		drain(ctx, c)
	})
	each(t, func(t *testing.T, generation int) {
		p, until, ended := running(t, Options{URL: url, Generation: generation, Second: time.Hour})
		until("registered", func(s Seen) bool { return s.Registered == 1 })
		p.Ask("a", "Bash", json.RawMessage(`{"x":1}`), nil)
		p.Ask("b", "Bash", json.RawMessage(`{}`), nil)
		if generation == 1 {
			if err := <-ended; !errors.Is(err, ErrCrashed) {
				t.Errorf("it ended with %v", err)
			}
			return
		}
		until("answered", func(s Seen) bool { return len(s.Answers) == 1 })
		if a := p.Seen().Answers[0]; !a.Stale || string(a.Input) != "{}" {
			t.Errorf("answer %+v", a)
		}
	})
	for _, line := range []string{`{"type":"rate_limit_event"}`, `{"type":"result","usage":{}}`, `no JSON`} {
		if _, err := modelled(1, json.RawMessage(line)); err == nil {
			t.Errorf("G1 reads %s", line)
		}
		for generation := 2; generation <= 3; generation++ {
			if _, err := modelled(generation, json.RawMessage(line)); err != nil {
				t.Errorf("G%d: %v", generation, err)
			}
		}
	}
	if raw, _ := modelled(2, json.RawMessage(`{"type":"stream_event","z":null}`)); !strings.Contains(string(raw), `"portal"`) {
		t.Errorf("G2 forwards %s", raw)
	}
	if raw, _ := modelled(3, json.RawMessage(`{"type":"stream_event","z":null,"a":1}`)); string(raw) != `{"a":1,"type":"stream_event"}` {
		t.Errorf("G3 forwards %s", raw)
	}
}

// Heartbeats: G1 answers each, G2 and G3 begin them and want answers. A ServerShutdown has a delay.
func TestHeartbeats(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, generation int) {
		beats := make(chan struct{}, 1000)
		var ends atomic.Bool // connections end with a ServerShutdown
		url := backend(t, func(ctx context.Context, _ int, c *websocket.Conn) {
			say(ctx, c, ack)
			if generation == 1 {
				say(ctx, c, `{"type":"Heartbeat"}`, `{"type":"Heartbeat"}`)
			}
			if ends.Load() {
				say(ctx, c, `{"type":"ServerShutdown","reason":"x","reconnect_delay_ms":1000}`)
			}
			for {
				_, raw, err := c.Read(ctx)
				if err != nil {
					return
				}
				if strings.Contains(string(raw), "Heartbeat") {
					select {
					case beats <- struct{}{}:
					default:
					}
				}
			}
		})
		p, until, _ := running(t, Options{URL: url, Generation: generation})
		<-beats
		<-beats
		if generation == 1 {
			ends.Store(true)
			p.Disconnect()
		} else {
			until("tired of waiting", func(s Seen) bool { return slices.Contains(s.Closes, "heartbeats were not answered") })
			ends.Store(true)
		}
		until("told to come back", func(s Seen) bool { return s.Shutdowns > 0 && s.Registered > 1 })
	})
}
