// Package act is what all actors use: effects, timers, and workers for I/O.
//
// An actor is a struct with a pure step, which takes a message and returns the next state and a list of effects. The actor
// performs the effects in order. It never waits: a [Worker] does its I/O and sends the result back as a message.
//
// # Who owns what
//
// An actor owns its worker and its timers. It closes and stops them when it stops and when it restarts. [Workers] counts
// the goroutines of all workers; the system waits for them before it ends.
//
// # On a crash
//
// Jobs that have not begun are dropped. The job that runs is finished; [Unwrap] drops its result in the next incarnation.
package act
