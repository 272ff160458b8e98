package worktree

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"betcode/actors/internal/notes"
	"betcode/actors/session/requests"
	"betcode/messages"
)

// Bounds of the ledger.
const (
	requestSuffix = ".request"
	maxRequests   = 2048
	requestsKept  = 30 * 24 * time.Hour
)

// request is a change under an idempotency key, in a file <key>.request. It is written before the change begins, before an effect
// that cannot be derived from the repository afterwards, and when it has its answer.
type request struct {
	Key      string          `json:"key"`
	Digest   []byte          `json:"digest,omitempty"`
	Common   string          `json:"common"`             // the repository
	Target   string          `json:"target,omitempty"`   // id of the worktree or repository that the request names
	Prepared json.RawMessage `json:"prepared,omitempty"` // the answer, if the change turns out to be made
	Answer   json.RawMessage `json:"answer,omitempty"`   // empty until the change is known to be made
	Began    time.Time       `json:"began"`

	resumed bool // an earlier daemon began it
}

// prepared returns the answer that an earlier daemon has prepared; false if there is none.
func prepared[R messages.Reply](e *request) (R, bool) {
	var none R
	if e == nil || !e.resumed || len(e.Prepared) == 0 {
		return none, false
	}
	reply, err := requests.Decode(e.Prepared)
	answer, ok := reply.(R)
	return answer, ok && err == nil
}

// ledger has the changes under keys, and their answers. It is safe for concurrent use.
type ledger struct {
	dir string

	mu   sync.Mutex
	kept map[string]time.Time // when each began, by key
}

// open finds the requests of earlier daemons and removes those that are too old.
func (l *ledger) open(now time.Time) error {
	all, err := load(l.dir, requestSuffix, func(key string, e request) error {
		if e.Key != key {
			return errors.New("it is not a request")
		}
		return nil
	})
	l.kept = map[string]time.Time{}
	for key, e := range all {
		l.kept[key] = e.Began
	}
	return errors.Join(err, l.prune(now))
}

// prune removes requests that are too old, and the oldest above the limit.
func (l *ledger) prune(now time.Time) error {
	keys := slices.SortedFunc(maps.Keys(l.kept), func(a, b string) int { return cmp.Or(l.kept[a].Compare(l.kept[b]), cmp.Compare(a, b)) })
	var problems []error
	for n, key := range keys {
		if len(keys)-n <= maxRequests && now.Sub(l.kept[key]) < requestsKept {
			break
		}
		problems = append(problems, l.remove(key))
	}
	return errors.Join(problems...)
}

func (l *ledger) path(key string) string { return filepath.Join(l.dir, key+requestSuffix) }

// find returns the request under a key; false if there is none.
func (l *ledger) find(key string) (e request, known bool, err error) {
	l.mu.Lock()
	_, known = l.kept[key]
	l.mu.Unlock()
	if !known {
		return e, false, nil
	}
	text, err := os.ReadFile(l.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return e, false, nil // pruned meanwhile
	}
	if err == nil {
		err = json.Unmarshal(text, &e)
	}
	if err != nil {
		return e, true, fmt.Errorf("read request: %w", err)
	}
	return e, true, nil
}

// put makes a request durable.
func (l *ledger) put(e request) error {
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := notes.Write(l.path(e.Key), text); err != nil {
		return fmt.Errorf("write request: %w", err)
	}
	if l.kept == nil {
		l.kept = map[string]time.Time{}
	}
	l.kept[e.Key] = e.Began
	return l.prune(e.Began)
}

// drop removes a request.
func (l *ledger) drop(key string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.remove(key)
}

func (l *ledger) remove(key string) error {
	if err := os.Remove(l.path(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget request: %w", err)
	}
	delete(l.kept, key)
	return nil
}

// repeated returns an earlier request under a caller's key, and its answer if it has one.
func (r *Registry) repeated(op string, by messages.By) (e request, known bool, answer messages.Reply, err error) {
	if by.Key == "" {
		return e, false, nil, nil
	}
	r.mu.Lock()
	made, creation := r.records[by.Key]
	r.mu.Unlock()
	if creation && !bytes.Equal(made.Digest, by.Digest) {
		return e, true, nil, messages.UsedKey(op, by.Key)
	}
	if e, known, err = r.ledger.find(by.Key); err != nil || !known {
		return e, known, nil, err
	}
	if !bytes.Equal(e.Digest, by.Digest) {
		return e, true, nil, messages.UsedKey(op, by.Key)
	}
	e.resumed = true
	if len(e.Answer) > 0 {
		answer, err = requests.Decode(e.Answer)
	}
	return e, true, answer, err
}

// keyed is a change with a caller.
type keyed interface{ Caller() messages.By }

// Repeated returns the answer of an earlier request under the same key; nil if there is none.
func (r *Registry) Repeated(op string, m messages.Request) (messages.Reply, error) {
	k, ok := m.(keyed)
	if _, creates := m.(messages.CreateWorktree); !ok || creates {
		return nil, nil
	}
	_, _, answer, err := r.repeated(op, k.Caller())
	return answer, err
}

// Begun returns the target of the request that was begun under a caller's key; false if there is none. The target may be removed.
func (r *Registry) Begun(by messages.By) (target, common string, begun bool) {
	e, known, _, err := r.repeated("", by)
	return e.Target, e.Common, known && err == nil
}

// StoreAnswer makes the answer of a request durable if the caller gave it a key.
func (r *Registry) StoreAnswer(by messages.By, target, common string, answer messages.Reply, now time.Time) error {
	if by.Key == "" {
		return nil
	}
	text, err := requests.Encode(answer)
	if err != nil {
		return err
	}
	return r.ledger.put(request{Key: by.Key, Digest: by.Digest, Common: common, Target: target, Answer: text, Began: now})
}
