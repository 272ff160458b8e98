package notices

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"betcode/actors/internal/notify"
	"betcode/actors/settings"
	"betcode/messages"
)

func TestDelivery(t *testing.T) {
	b := newBench(t, notify.Exec, notify.Ntfy)
	b.raise(1)
	if len(b.tries) != 2 || b.tries[0].channel != notify.Exec || b.tries[1].channel != notify.Ntfy || len(b.disk) != 2 {
		t.Fatalf("%+v", b.tries)
	}
	b.end(nil)
	b.end(nil)
	if len(b.disk) != 0 || len(b.state.queue) != 0 {
		t.Errorf("%+v, %+v", b.disk, b.state.queue)
	}
	b.raise(1)
	if len(b.tries) != 0 {
		t.Error("an equal notice is delivered again at once")
	}
	b.now = b.now.Add(repeat)
	if b.raise(1); len(b.tries) != 2 {
		t.Error("an equal notice is not delivered later")
	}
}

func TestNoChannel(t *testing.T) {
	b := newBench(t)
	if b.raise(1); len(b.tries) != 0 || len(b.disk) != 0 {
		t.Error(b.tries)
	}
}

// A failure is retried with backoff, and dropped after a day.
func TestFailures(t *testing.T) {
	b := newBench(t, notify.Webhook)
	b.raise(1)
	broken := errors.New("no route")
	last := time.Duration(0)
	for tries := 1; ; tries++ {
		b.end(broken)
		if len(b.state.queue) == 0 {
			if tries < 100 || !slices.Contains(b.logged, "notification given up") || len(b.disk) != 0 {
				t.Errorf("given up after %d tries: %q", tries, b.logged)
			}
			return
		}
		if b.wake < last || b.wake > longPause || b.wake < firstPause {
			t.Fatalf("pause %s after %s", b.wake, last)
		}
		last = b.wake
		if b.send(due{}); len(b.tries) != 0 {
			t.Fatal("tried before it is due")
		}
		b.now = b.now.Add(b.wake)
		b.send(due{})
	}
}

// A notice about a decided request is dropped.
func TestStale(t *testing.T) {
	b := newBench(t, notify.Exec)
	b.raise(1)
	if b.end(nil, 1); len(b.disk) != 0 || len(b.state.recent) != 0 {
		t.Errorf("%+v", b.state)
	}
}

// During quiet hours all deliveries wait; then they are one notice.
func TestQuietHours(t *testing.T) {
	b := newBench(t, notify.Exec)
	b.settings.QuietHours = settings.QuietHours{From: 22 * 60, To: 7 * 60}
	b.now = time.Date(2026, 11, 24, 23, 0, 0, 0, time.UTC)
	for n := range 10 {
		b.raise(n)
	}
	if len(b.tries) != 0 || b.wake != 8*time.Hour || len(b.disk) != 10 {
		t.Fatalf("%d tries, wake after %s", len(b.tries), b.wake)
	}
	b.restart()
	b.now = b.now.Add(b.wake)
	b.send(due{})
	if len(b.tries) != 1 || len(b.tries[0].batch) != 10 {
		t.Fatalf("%+v", b.tries)
	}
	d := digest(b.tries[0].batch)
	if d.Code != digestCode || !strings.Contains(d.Message, "10 requests") || !strings.Contains(d.Message, "Bash waits 9") {
		t.Errorf("%+v", d)
	}
	if b.end(nil); len(b.disk) != 0 {
		t.Error(b.disk)
	}
}

// The queue is bounded; the newest delivery stays.
func TestBounded(t *testing.T) {
	b := newBench(t, notify.Ntfy)
	for n := range 3 * maxWaiting {
		b.raise(n)
	}
	if len(b.state.queue) != maxWaiting || len(b.disk) != maxWaiting || !slices.Contains(b.logged, "notification dropped: too many wait") {
		t.Errorf("%d wait, %d on disk", len(b.state.queue), len(b.disk))
	}
	if newest := b.state.queue[maxWaiting-1].Notice; newest.Message != fmt.Sprint("Bash waits ", 3*maxWaiting-1) {
		t.Error(newest)
	}
}

// A delivery is tried only when it is durable; one that cannot be written is tried all the same.
func TestWriteBeforeTry(t *testing.T) {
	b := newBench(t, notify.Exec)
	b.unkept = true
	if b.raise(1); len(b.tries) != 0 {
		t.Fatal("tried before it was written")
	}
	b.send(kept{number: 1, err: errors.New("no space")})
	if len(b.tries) != 1 || len(b.logged) != 1 {
		t.Errorf("%d tries, %q", len(b.tries), b.logged)
	}
}

func TestEarlyNotices(t *testing.T) {
	var s state
	n := settings.Settings{NotifyExec: []string{"tell"}}
	s, effects := s.step(env{noon, &n}, Raise{notice(1, noon)})
	if len(effects) != 0 || len(s.early) != 1 {
		t.Fatal(effects)
	}
	s, effects = s.step(env{noon, &n}, loaded{left: []delivery{{Number: 7, Channel: notify.Exec, Notice: notice(2, noon)}}})
	if len(s.queue) != 2 || s.queue[1].Number != 8 || len(effects) == 0 {
		t.Errorf("%+v", s.queue)
	}
}

// With any failures and restarts each notice arrives on each channel at least once, and no file is left.
func TestEveryNoticeArrives(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		b := newBench(t, notify.Exec, notify.Webhook)
		arrived := map[string]bool{}
		end := func(err error) {
			a := b.end(err)
			for _, d := range a.batch {
				if err == nil {
					arrived[fmt.Sprint(a.channel, d.Notice.Request())] = true
				}
			}
		}
		raised := 0
		for range rapid.IntRange(1, 40).Draw(r, "steps") {
			switch rapid.IntRange(0, 4).Draw(r, "step") {
			case 0, 1:
				raised++
				b.raise(raised)
			case 2:
				if len(b.tries) > 0 {
					end(nil)
				}
			case 3:
				if len(b.tries) > 0 {
					end(errors.New("failed"))
				}
			case 4:
				b.restart()
			}
		}
		for len(b.state.queue) > 0 {
			b.now = b.now.Add(longPause)
			b.send(due{})
			for len(b.tries) > 0 {
				end(nil)
			}
		}
		for n := 1; n <= raised; n++ {
			for _, over := range []notify.Channel{notify.Exec, notify.Webhook} {
				if !arrived[fmt.Sprint(over, messages.RequestID(fmt.Sprint("p", n)))] {
					r.Errorf("notice %d of %d did not arrive by %s", n, raised, over)
				}
			}
		}
		if len(b.disk) != 0 {
			r.Errorf("left on disk: %v", b.disk)
		}
	})
}

func TestFiles(t *testing.T) {
	f := files{t.TempDir() + "/notices"}
	if left, err := f.read(); left != nil || err != nil {
		t.Fatal(left, err)
	}
	for n := range uint64(3) {
		if err := f.write(delivery{Number: n, Channel: notify.Exec, Notice: notice(int(n), noon)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.remove([]uint64{1, 9}); err != nil {
		t.Error(err)
	}
	if err := (files{f.directory}).write(delivery{Number: 5}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.path(5), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	left, err := f.read()
	if len(left) != 2 || err == nil || !strings.Contains(err.Error(), "5.json") {
		t.Errorf("%+v, %v", left, err)
	}
	if left, err = f.read(); len(left) != 2 || err != nil {
		t.Errorf("%+v, %v", left, err)
	}
}
