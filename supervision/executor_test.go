package supervision

import (
	"sync"
	"testing"
	"testing/synctest"
)

// An executor runs every function, concurrently if necessary. The number of idle goroutines is
// bounded, and zero after Close.
func TestCrew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		executor := NewExecutor()
		for range 3 {
			var met, done sync.WaitGroup
			met.Add(10 * maxIdle)
			done.Add(10 * maxIdle)
			for range 10 * maxIdle {
				executor.Go(func() {
					met.Done()
					met.Wait() // for all others: no function waits for a goroutine
					done.Done()
				})
			}
			done.Wait()
			synctest.Wait()
			if kept := len(executor.idle); kept != maxIdle {
				t.Errorf("%d goroutines are kept", kept)
			}
		}
		executor.Close() // the bubble does not end while a goroutine is left
		late := make(chan struct{})
		executor.Go(func() { close(late) })
		<-late
		executor.Close()
	})
}

// Idle goroutines are reused: a thousand functions, one after the other, need one.
func TestCrewReusesGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		executor := NewExecutor()
		defer executor.Close()
		for range 1000 {
			executor.Go(func() {})
			synctest.Wait()
			if now := len(executor.idle); now != 1 {
				t.Fatalf("%d goroutines for one piece of work", now)
			}
		}
	})
}

func BenchmarkCrew(b *testing.B) {
	executor := NewExecutor()
	defer executor.Close()
	for name, start := range map[string]func(func()){"executor": executor.Go, "goroutine": func(f func()) { go f() }} {
		b.Run(name, func(b *testing.B) {
			done := make(chan byte)
			for b.Loop() {
				start(func() { done <- deep(100) })
				<-done
			}
		})
	}
}

// deep uses some kilobytes of stack, as the step of an actor does.
func deep(n int) byte {
	var frame [64]byte
	if n > 0 {
		frame[n%64] = deep(n - 1)
	}
	return frame[n%32]
}
