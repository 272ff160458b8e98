package notices

import (
	"fmt"
	"testing"
	"time"

	"go.uber.org/goleak"

	"betcode/actors/internal/act"
	"betcode/actors/internal/notify"
	"betcode/actors/settings"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

// bench runs a state: files are written at once, attempts wait for the test.
type bench struct {
	testing.TB
	now      time.Time
	settings settings.Settings
	state    state
	disk     map[uint64]delivery
	tries    []attempt
	wake     time.Duration
	logged   []string
	unkept   bool // results of writes are delayed
	holding  []kept
}

func newBench(t testing.TB, channels ...notify.Channel) *bench {
	b := &bench{TB: t, now: noon, disk: map[uint64]delivery{}}
	for _, c := range channels {
		switch c {
		case notify.Exec:
			b.settings.NotifyExec = []string{"tell"}
		case notify.Webhook:
			b.settings.NotifyWebhook = "https://example.org"
		case notify.Ntfy:
			b.settings.NotifyNtfy = "https://example.org/t"
		}
	}
	b.restart()
	return b
}

// restart begins the next incarnation, from the files.
func (b *bench) restart() {
	b.state, b.tries, b.holding, b.wake = state{}, nil, nil, 0
	var left []delivery
	for _, d := range b.disk {
		left = append(left, d)
	}
	b.send(loaded{left: left})
}

func (b *bench) send(m any) {
	next, effects := b.state.step(env{b.now, &b.settings}, m)
	b.state = next
	for _, e := range effects {
		b.perform(e)
	}
}

func (b *bench) perform(e act.Effect) {
	switch e := e.(type) {
	case keep:
		b.disk[e.delivery.Number] = e.delivery
		if b.unkept {
			b.holding = append(b.holding, kept{number: e.delivery.Number})
			return
		}
		b.send(kept{number: e.delivery.Number})
	case forget:
		for _, n := range e.numbers {
			delete(b.disk, n)
		}
	case attempt:
		for _, d := range e.batch {
			if _, there := b.disk[d.Number]; !there {
				b.Errorf("delivery %d is tried and not on disk", d.Number)
			}
		}
		b.tries = append(b.tries, e)
	case wake:
		b.wake = e.after
	case complain:
		b.logged = append(b.logged, e.text)
	}
}

// end ends the oldest attempt.
func (b *bench) end(err error, stale ...uint64) attempt {
	b.Helper()
	if len(b.tries) == 0 {
		b.Fatal("nothing is under way")
	}
	a := b.tries[0]
	b.tries = b.tries[1:]
	m := ended{channel: a.channel, stale: stale, err: err}
	for _, d := range a.batch {
		m.numbers = append(m.numbers, d.Number)
	}
	b.send(m)
	return a
}

func (b *bench) raise(n int) { b.send(Raise{notice(n, b.now)}) }

func notice(n int, at time.Time) notify.Notice {
	return notify.Notice{
		Code: "PERMISSION_WAITS", Message: fmt.Sprint("Bash waits ", n), Session: "s", At: at,
		Details: map[string]string{"request_id": fmt.Sprint("p", n)},
	}
}
