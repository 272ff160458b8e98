package act

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// workerOf returns a worker that keeps what it delivers.
func workerOf(owner any) (w *Worker, delivered *[]any, alive *Workers) {
	delivered, alive = new([]any), new(Workers)
	return &Worker{owner: owner, workers: alive, deliver: func(m any) { *delivered = append(*delivered, m) }}, delivered, alive
}

func TestWorkerKeepsTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		me := &struct{ int }{}
		w, delivered, alive := workerOf(me)
		for i := range 100 {
			w.Do(func() any {
				time.Sleep(time.Duration(100-i) * time.Millisecond)
				if i%2 == 1 {
					return nil // no result
				}
				return i
			})
		}
		alive.Wait()
		if len(*delivered) != 50 {
			t.Fatalf("%d results, want 50", len(*delivered))
		}
		for i, m := range *delivered {
			if got := Unwrap(me, m); got != 2*i {
				t.Errorf("result %d is %v", i, got)
			}
		}
	})
}

func TestWorkerHasNoGoroutineWithoutWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, delivered, alive := workerOf(nil)
		for round := range 3 {
			w.Do(func() any { return round })
			alive.Wait() // returns only if the goroutine has ended
			if w.running || len(*delivered) != round+1 {
				t.Errorf("round %d: running %v, %d delivered", round, w.running, len(*delivered))
			}
		}
	})
}

func TestWorkerPanicIsDelivered(t *testing.T) {
	me := new(int)
	w, delivered, alive := workerOf(me)
	w.Do(func() any { panic("out of order") })
	w.Do(func() any { return "next" })
	alive.Wait()
	if len(*delivered) != 2 {
		t.Fatalf("%d results, want 2", len(*delivered))
	}
	if got := Unwrap(me, (*delivered)[1]); got != "next" {
		t.Errorf("the job behind a broken one gave %v", got)
	}
	defer func() {
		reason := fmt.Sprint(recover())
		if !strings.Contains(reason, "out of order") || !strings.Contains(reason, "TestWorkerPanicIsDelivered") {
			t.Errorf("the actor crashed with %q", reason)
		}
	}()
	Unwrap(me, (*delivered)[0])
	t.Error("the actor did not crash")
}

// Results and panics of an earlier incarnation's jobs do not reach the next one.
func TestMine(t *testing.T) {
	me, earlier := new(int), new(int)
	for _, c := range []struct {
		name    string
		message any
		want    any
	}{
		{"an ordinary message", "hello", "hello"},
		{"nil", nil, nil},
		{"a result of ours", workDone{me, "result"}, "result"},
		{"a result of an earlier incarnation", workDone{earlier, "result"}, nil},
		{"a panic of an earlier incarnation", workDone{earlier, jobPanicked{reason: "x"}}, nil},
	} {
		if got := Unwrap(me, c.message); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestWorkerClose(t *testing.T) {
	for _, c := range []struct {
		name  string
		close func(w *Worker, last func())
		want  []string
	}{
		{"without a last job", func(w *Worker, _ func()) { w.Close(nil) }, []string{"first"}},
		{"with a last job", func(w *Worker, last func()) { w.Close(last) }, []string{"first", "last"}},
		{"twice with a last job", func(w *Worker, last func()) { w.Close(last); w.Close(last) }, []string{"first", "last"}},
		{"the last job is not taken back", func(w *Worker, last func()) { w.Close(last); w.Close(nil) }, []string{"first", "last"}},
		{"nothing comes behind the end", func(w *Worker, last func()) {
			w.Close(last)
			w.Do(func() any { panic("too late") })
		}, []string{"first", "last"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, delivered, alive := workerOf(nil)
				var done []string
				w.Do(func() any {
					time.Sleep(time.Second)
					done = append(done, "first")
					return nil
				})
				synctest.Wait() // it has begun
				w.Do(func() any { done = append(done, "dropped"); return nil })
				c.close(w, func() { done = append(done, "last") })
				alive.Wait()
				if !slices.Equal(done, c.want) || len(*delivered) != 0 {
					t.Errorf("did %v, delivered %v; want %v", done, *delivered, c.want)
				}
			})
		})
	}
}

func TestWorkerConcurrently(t *testing.T) {
	w, _, alive := workerOf(nil)
	running, most, done := 0, 0, 0 // written by jobs only: one at a time, or -race reports it
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for range 500 {
				w.Do(func() any {
					running++
					most = max(most, running)
					done++
					running--
					return nil
				})
			}
		})
	}
	callers.Wait()
	alive.Wait()
	if most != 1 || done != 4000 {
		t.Errorf("%d jobs, %d at a time", done, most)
	}
}
