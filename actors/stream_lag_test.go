package actors

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/client"
	"betcode/messages"
)

// A client that does not read for an hour costs what its outbox holds. Then its stream ends,
// and it gets the reason when it reads again. A client that reads a little stays.
func TestSlowClientIsSentAwayAfterAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &days{t: t, store: newMemoryStore(), began: time.Now().Round(0)}
		d.seed("p1", "Bash")
		d.start()
		stuck, _, err := d.Attach(context.Background(), messages.Attach{Session: sessionA, Client: "stuck", Stream: "stuck", Observer: true})
		if err != nil {
			t.Fatal(err)
		}
		slow, _, err := d.Attach(context.Background(), messages.Attach{Session: sessionA, Client: "slow", Stream: "slow", Observer: true})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if _, err := slow.box.Take(); err != nil {
			t.Fatal(err)
		}
		coming := make(chan struct{})
		go func() { // each that comes and goes is an event that no history has
			defer close(coming)
			for range clientEvents {
				f, _, err := d.Attach(context.Background(), messages.Attach{Session: sessionA, Client: "guest", Stream: "guest", Observer: true, History: messages.HistoryNone})
				if err != nil {
					t.Error(err)
					return
				}
				f.Close()
			}
		}()
		<-coming
		synctest.Wait()
		held := func(f *Follower) (int, bool) { return f.box.Buffered() }
		if n, closed := held(stuck); n == 0 || n > clientEvents || closed {
			t.Errorf("it has %d events, closed %v", n, closed)
		}
		time.Sleep(50 * time.Minute)
		if _, err := slow.box.Take(); err != nil {
			t.Error(err)
		}
		time.Sleep(20 * time.Minute)
		synctest.Wait()
		if n, closed := held(stuck); n != 0 || !closed {
			t.Errorf("after more than an hour it has %d events, closed %v", n, closed)
		}
		if _, closed := held(slow); closed {
			t.Error("the slow one was sent away as well")
		}
		lagging := false
		for range 2 { // the rest, and what was missed
			events, err := takeRest(slow.box)
			if err != nil {
				t.Error(err)
			}
			for _, e := range events {
				var event pb.AgentEvent
				if proto.Unmarshal(e.Bytes, &event) == nil && event.GetLagging() != nil {
					lagging = true
				}
			}
			synctest.Wait()
		}
		if !lagging {
			t.Error("the slow client got no LAGGING event")
		}
		_, err = stuck.box.Take()
		var why *messages.Error
		if !errors.As(err, &why) || why.Code != messages.ClientTooSlow || why.Kind != messages.Exhausted || errors.Is(err, io.EOF) {
			t.Errorf("its reason is %v", err)
		}
		view, err := d.ask(messages.GetSession{Session: sessionA})
		if err != nil || view.(messages.SessionView).Clients != 1 {
			t.Errorf("%+v, %v", view, err)
		}
		slow.Close()
		d.stop()
		time.Sleep(2 * time.Second)
	})
}

// clientEvents is how many events an outbox holds.
const clientEvents = 1024

// takeRest takes until there is nothing more, or the end.
func takeRest(o *client.Outbox) (all []messages.Event, err error) {
	for {
		events, err := o.Take()
		if err != nil || len(events) == 0 {
			return all, err
		}
		all = append(all, events...)
	}
}
