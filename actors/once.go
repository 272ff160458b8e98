package actors

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/messages"
)

// A request under an idempotency key leaves the key with its answer in the journal, in
// the append that makes the answer true. See [messages.Once].

// maxOnces bounds the calls under a key that wait for their answer in one session. So
// many never do: some were answered by others, as a duplicate is by the actor of its
// request, and are not waited for any more.
const maxOnces = 1024

// once is a call under a key that waits for its answer; given is one that has it.
type (
	once struct {
		key    string
		digest []byte
	}
	given struct {
		digest []byte
		answer messages.Reply
	}
)

// once carries out a request under a key, unless that was done already.
func (t *transition) once(from *actor.PID, m messages.Once) {
	if before, seen := t.s.given.get(m.Key); seen {
		if was := (messages.Remembered{Digest: before.digest}); !was.Fits(m.Digest) {
			t.then(reply{from, messages.UsedKey("repeat request", m.Key)})
			return
		}
		t.then(reply{from, before.answer})
		return
	}
	if from != nil {
		t.s.onces = maps.Clone(t.s.onces)
		if t.s.onces == nil || len(t.s.onces) >= maxOnces {
			t.s.onces = map[string]once{}
		}
		t.s.onces[from.Id] = once{m.Key, m.Digest}
	}
	t.handle(from, m.Request)
}

// rememberAnswers puts the answers to calls under a key into the journal. That is no use
// of the session by itself.
func (t *transition) rememberAnswers() {
	if len(t.s.onces) == 0 {
		return
	}
	for _, e := range t.after {
		r, ok := e.(reply)
		if !ok || r.to == nil {
			continue
		}
		call, waits := t.s.onces[r.to.Id]
		if !waits {
			continue
		}
		t.s.onces = maps.Clone(t.s.onces)
		delete(t.s.onces, r.to.Id)
		if answer, ok := r.with.(messages.Reply); ok && !t.append.Delete {
			t.remembered(call, answer)
		}
	}
}

// remembered notes what a call was answered with, unless it was an error.
func (t *transition) remembered(call once, answer messages.Reply) {
	text, err := encodeAnswer(answer)
	if err != nil {
		return // an error, or nothing that was promised to be remembered
	}
	t.dirty = true
	t.append.Answered = append(t.append.Answered, messages.Remembered{Key: call.key, Digest: call.digest, Answer: text})
	t.s.given = t.s.given.put(call.key, given{call.digest, answer})
}

// keptAnswer is a kind of answer that is remembered, under a name that stays.
type keptAnswer struct {
	name string
	is   func(messages.Reply) bool
	read func(says []byte) (messages.Reply, error)
}

func keep[R messages.Reply](name string) keptAnswer {
	return keptAnswer{
		name: name,
		is:   func(answer messages.Reply) bool { _, ok := answer.(R); return ok },
		read: func(says []byte) (messages.Reply, error) {
			var answer R
			err := json.Unmarshal(says, &answer)
			return answer, err
		},
	}
}

// keptAnswers are all of them: append only.
var keptAnswers = []keptAnswer{
	keep[messages.Done]("done"),
	keep[messages.InputAcknowledged]("input"),
	keep[messages.TurnCanceling]("canceling"),
	keep[messages.PermissionAnswered]("answered"),
	keep[messages.SessionStopped]("stopped"),
	keep[messages.SessionContinued]("continued"),
	keep[messages.SessionRestarted]("restarted"),
}

// storedAnswer is an answer in the journal: its name, then what it says.
type storedAnswer struct {
	Answer string          `json:"answer"`
	Says   json.RawMessage `json:"says"`
}

var errNotKept = errors.New("this answer is not kept")

func encodeAnswer(answer messages.Reply) ([]byte, error) {
	i := slices.IndexFunc(keptAnswers, func(k keptAnswer) bool { return k.is(answer) })
	if i < 0 {
		return nil, errNotKept
	}
	says, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return json.Marshal(storedAnswer{keptAnswers[i].name, says})
}

func decodeAnswer(text []byte) (messages.Reply, error) {
	var stored storedAnswer
	if err := json.Unmarshal(text, &stored); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(keptAnswers, func(k keptAnswer) bool { return k.name == stored.Answer })
	if i < 0 {
		return nil, errNotKept
	}
	return keptAnswers[i].read(stored.Says)
}

// inputDigest tells messages apart that come under the same key.
func inputDigest(content string, attachments []messages.Attachment) []byte {
	h := sha256.New()
	_ = json.NewEncoder(h).Encode(content) // a hash takes everything
	for _, a := range attachments {
		_ = json.NewEncoder(h).Encode(a)
	}
	return h.Sum(nil)
}

// before looks for the answer that a request under a key was given, in the journal.
func (s *System) before(r messages.Request) (messages.Reply, error) {
	switch m := r.(type) {
	case messages.SendInput:
		kept, seen, err := s.options.Store.Remembered(m.Session, m.Key)
		switch {
		case err != nil:
			return nil, messages.AsError("send input", err)
		case !seen:
			return nil, nil
		case !kept.Fits(m.Digest):
			return nil, messages.UsedKey("send input", m.Key)
		}
		if answer, err := decodeAnswer(kept.Answer); err == nil {
			return answer, nil
		}
		return messages.InputAcknowledged{Key: m.Key, Seq: kept.Seq}, nil // from before answers were kept
	case messages.Once:
		kept, seen, err := s.options.Store.Remembered(m.Target(), m.Key)
		switch {
		case err != nil || !seen: // the session itself says that there is none
			return nil, nil //nolint:nilerr // see above
		case !kept.Fits(m.Digest):
			return nil, messages.UsedKey("repeat request", m.Key)
		}
		if answer, err := decodeAnswer(kept.Answer); err == nil {
			return answer, nil
		}
	}
	return nil, nil
}

// resolveKey finds the session in which a key was used.
func (s *System) resolveKey(m messages.ResolveKey) (messages.Reply, error) {
	const op = "find key"
	sessions, _, err := s.options.Store.Sessions("", "", 0, 0)
	if err != nil {
		return nil, messages.AsError(op, err)
	}
	for _, session := range sessions {
		switch _, seen, err := s.options.Store.Remembered(session.ID, m.Key); {
		case err != nil && messages.KindOf(err) != messages.NotFound: // deleted meanwhile
			return nil, messages.AsError(op, err)
		case seen:
			return messages.SessionResolved{Session: session.ID}, nil
		}
	}
	return nil, messages.Errorf(op, messages.NotFound, "the key %s was not used", m.Key)
}

// askOnce asks what may come under a key: the journal first.
func (s *System) askOnce(ctx context.Context, r messages.Request) (messages.Reply, error) {
	if known, err := s.before(r); known != nil || err != nil {
		return known, err
	}
	return s.ask(ctx, s.sessions, r)
}
