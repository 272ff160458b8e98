// Package notify delivers one notice over one channel: to the user's program, to a webhook, or to an ntfy server.
//
// # Who owns what
//
// [Notifier.Deliver] runs on the goroutine of its caller, a worker, and ends within ten seconds. It owns the process or the
// connection that it needs. It has no state; the notices actor has the queue.
//
// # What is promised
//
// A program gets the notice as JSON on its input and as variables, and nothing of the environment of agents. A webhook gets the
// same JSON under an idempotency key, signed if there is a secret. No redirect is followed. Plain HTTP is for this machine only.
//
// # On a crash
//
// A notice whose delivery was under way is delivered again: receivers recognise it by its key.
package notify
