// Package requests keeps the results of requests that clients may repeat.
//
// A client that loses its connection does not know whether its request took place. It repeats the request under the same
// idempotency key, and gets the first result instead of a second effect:
//
//	Find    the key has a result: answer with it, or refuse the key if it was used for another request
//	Begin   the request is being carried out; its answer comes in this step or a later one
//	End     an answer goes to that caller: it is the result of the key
//	Record  remembers the result, and returns it as the journal stores it
//
// Answers to prompts are repeated too, and several clients answer one prompt. Decide and Late do the same for them, by the
// id of the prompt.
//
// A Ledger remembers the newest results; older ones, and those of former daemons, are in the journal, which the daemon asks
// first. Refusals are no results: such a request may be made again.
package requests

import (
	"maps"
	"slices"

	"betcode/messages"
)

const (
	// MaxResults bounds the results, and the decisions, that a ledger has in memory.
	MaxResults = 256
	// MaxWaiting bounds the requests that wait for an answer. So many never do: some were answered by others, as a
	// duplicate is by the actor of its prompt, and are not waited for any more. The request that has waited longest is
	// forgotten first.
	MaxWaiting = 1024
)

// Key is an idempotency key with a digest of the request that it was used for. An empty digest fits every request.
type Key struct {
	Name   string
	Digest []byte
}

// Ledger is the results of one session. The zero value is empty. A copy is independent of the original.
type Ledger struct {
	results   recent[result]
	waiting   map[string]Key // by caller
	callers   []string       // of waiting, the oldest first
	decisions recent[messages.PermissionAnswered]
}

type result struct {
	digest []byte
	reply  messages.Reply
}

// Find returns what a request under a key is answered with if the key was used before: its result, or an error if it was
// used for another request.
func (l *Ledger) Find(op string, k Key) (answer any, used bool) {
	r, used := l.results.get(k.Name)
	if !used {
		return nil, false
	}
	return Repeat(op, k, messages.StoredResult{Digest: r.digest}, r.reply), true
}

// Repeat returns the reply that was remembered for a key, or an error if it was remembered for another request.
func Repeat(op string, k Key, was messages.StoredResult, reply messages.Reply) any {
	if !was.Fits(k.Digest) {
		return messages.UsedKey(op, k.Name)
	}
	return reply
}

// Begin notes that a caller waits for the result of a key.
func (l *Ledger) Begin(caller string, k Key) {
	l.forget(caller)
	if len(l.callers) >= MaxWaiting {
		l.forget(l.callers[0])
	}
	if l.waiting = maps.Clone(l.waiting); l.waiting == nil {
		l.waiting = map[string]Key{}
	}
	l.waiting[caller] = k
	l.callers = append(slices.Clone(l.callers), caller)
}

// End returns the key whose result a caller waits for, and forgets that it does.
func (l *Ledger) End(caller string) (Key, bool) {
	k, waits := l.waiting[caller]
	l.forget(caller)
	return k, waits
}

// forget drops a caller that waits, if it does.
func (l *Ledger) forget(caller string) {
	if _, waits := l.waiting[caller]; !waits {
		return
	}
	l.waiting = maps.Clone(l.waiting)
	delete(l.waiting, caller)
	l.callers = slices.DeleteFunc(slices.Clone(l.callers), func(c string) bool { return c == caller })
}

// Waiting returns how many callers wait for a result.
func (l *Ledger) Waiting() int { return len(l.waiting) }

// Record remembers the result of a key and returns it as the journal stores it. It reports false for an answer that is no
// result.
func (l *Ledger) Record(k Key, reply messages.Reply) (messages.StoredResult, bool) {
	text, err := Encode(reply)
	if err != nil {
		return messages.StoredResult{}, false
	}
	l.Store(k, reply)
	return messages.StoredResult{Key: k.Name, Digest: k.Digest, Answer: text}, true
}

// Store is [Ledger.Record] for a result that the journal has anyway.
func (l *Ledger) Store(k Key, reply messages.Reply) {
	l.results = l.results.put(k.Name, result{k.Digest, reply})
}
