package session

import (
	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/session/requests"
	"betcode/messages"
)

// A request under an idempotency key leaves the key with its answer in the journal, in
// the append that makes the answer true. See [messages.Once].

// once carries out a request under a key, unless that was done before.
func (t *transition) once(from *actor.PID, m messages.Once) {
	key := requests.Key{Name: m.Key, Digest: m.Digest}
	if answer, used := t.s.ledger.Find("repeat request", key); used {
		t.then(act.Reply{To: from, With: answer})
		return
	}
	if from != nil {
		t.s.ledger.Begin(from.Id, key)
	}
	t.handle(from, m.Request)
}

// rememberAnswers puts the answers to calls under a key into the journal. That is no use
// of the session by itself.
func (t *transition) rememberAnswers() {
	for _, e := range t.after {
		r, ok := e.(act.Reply)
		if !ok || r.To == nil {
			continue
		}
		key, waits := t.s.ledger.End(r.To.Id)
		if answer, ok := r.With.(messages.Reply); waits && ok && !t.append.Delete {
			t.recordResult(key, answer)
		}
	}
}

// recordResult remembers what a request was answered with, unless it was refused.
func (t *transition) recordResult(key requests.Key, answer messages.Reply) {
	if result, ok := t.s.ledger.Record(key, answer); ok {
		t.dirty = true
		t.append.Answered = append(t.append.Answered, result)
	}
}
