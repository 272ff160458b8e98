package watchdog_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"betcode/actors/session/watchdog"
)

const limit = 7 * time.Minute

var (
	began = time.Unix(1000, 0)
	turn  = watchdog.Situation{Busy: true, Turn: true, Limit: limit}
)

func look(t *testing.T, w *watchdog.Watchdog, after time.Duration, s watchdog.Situation, want watchdog.Action) watchdog.Verdict {
	t.Helper()
	v := w.Look(began.Add(after), s)
	if v.Action != want {
		t.Errorf("after %s: %+v, want action %d", after, v, want)
	}
	return v
}

func TestSilence(t *testing.T) {
	t.Run("interrupted, then replaced", func(t *testing.T) {
		var w watchdog.Watchdog
		w.Start(began)
		if v := look(t, &w, 6*time.Minute, turn, watchdog.Wait); v.After != time.Minute {
			t.Errorf("the next look is in %s", v.After)
		}
		look(t, &w, 7*time.Minute, turn, watchdog.Interrupt)
		w.Acknowledged(began.Add(7*time.Minute + time.Second))
		look(t, &w, 7*time.Minute+watchdog.ReactionTime, turn, watchdog.Replace)
	})
	t.Run("without a turn nothing can be interrupted", func(t *testing.T) {
		var w watchdog.Watchdog
		w.Start(began)
		idle := turn
		idle.Turn = false
		look(t, &w, 7*time.Minute, idle, watchdog.Replace)
	})
	t.Run("a reaction begins again", func(t *testing.T) {
		var w watchdog.Watchdog
		w.Start(began)
		look(t, &w, 7*time.Minute, turn, watchdog.Interrupt)
		w.Activity(began.Add(7*time.Minute + time.Second))
		look(t, &w, 8*time.Minute, turn, watchdog.Wait)
		look(t, &w, 14*time.Minute+time.Second, turn, watchdog.Interrupt)
	})
	t.Run("an announced wait is no silence", func(t *testing.T) {
		var w watchdog.Watchdog
		w.Start(began)
		w.Announced(began, 20*time.Minute)
		look(t, &w, 26*time.Minute, turn, watchdog.Wait)
		look(t, &w, 27*time.Minute, turn, watchdog.Interrupt)
	})
	t.Run("an announcement has a bound", func(t *testing.T) {
		var w watchdog.Watchdog
		w.Start(began)
		w.Announced(began, 1000*time.Hour)
		look(t, &w, watchdog.MaxAnnounced+limit, turn, watchdog.Interrupt)
	})
	t.Run("an excuse is no silence", func(t *testing.T) {
		var w watchdog.Watchdog
		w.Start(began)
		excused := turn
		excused.Excused = true
		look(t, &w, 48*time.Hour, excused, watchdog.Wait)
		look(t, &w, 48*time.Hour+time.Minute, turn, watchdog.Wait)
	})
	t.Run("an agent without work is not watched", func(t *testing.T) {
		var w watchdog.Watchdog
		w.Start(began)
		look(t, &w, time.Hour, watchdog.Situation{Limit: limit}, watchdog.None)
		if w.Watching() || !w.Start(began.Add(time.Hour)) {
			t.Error("it is still watched")
		}
	})
}

// An agent that gives a sign of life before each limit is never interrupted; one that falls silent and stays silent is replaced in
// bounded time.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w watchdog.Watchdog
		now := began
		w.Start(now)
		for range rapid.IntRange(0, 50).Draw(t, "signs") {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(limit)-1).Draw(t, "pause")))
			if v := w.Look(now, turn); v.Action != watchdog.Wait {
				t.Fatalf("an agent that lives gets %+v", v)
			}
			w.Activity(now)
		}
		silent := now
		for {
			v := w.Look(now, turn)
			if v.Action == watchdog.Replace {
				break
			}
			if v.After <= 0 {
				t.Fatalf("no further look: %+v", v)
			}
			now = now.Add(v.After)
		}
		if took := now.Sub(silent); took != limit+watchdog.ReactionTime {
			t.Fatalf("replaced after %s", took)
		}
	})
}
