package persistence

import (
	"bytes"
	"cmp"
	"slices"

	"betcode/messages"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/memtable"
	"betcode/persistence/internal/record"
	storev1 "betcode/proto/betcode/store/v1"
)

// Load returns the data that a session is rebuilt from, as of the newest commit.
// Inputs and permissions come in the order of their events. A deleted
// session is not found.
func (s *Store) Load(id messages.SessionID) (messages.SessionLoaded, error) {
	var loaded messages.SessionLoaded
	err := s.current(fault.OpLoad, func(v memtable.View) error {
		e, err := s.index.find(fault.OpLoad, id)
		if messages.KindOf(err) == messages.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		l := loader{view: v, op: fault.OpLoad, id: id, number: e.number}
		loaded, err = l.load()
		return err
	})
	if err != nil {
		s.index.condemn(id, err)
		return messages.SessionLoaded{}, err
	}
	return loaded, nil
}

// loader reads the records of one session.
type loader struct {
	view   memtable.View
	op     string
	id     messages.SessionID
	number uint64
}

// get decodes one record; it reports whether the record exists.
func (l loader) get(bucket, key []byte, into record.Record) (bool, error) {
	value := l.view.Get(bucket, key)
	if value == nil {
		return false, nil
	}
	if err := record.Decode(l.op, bucket, key, value, into); err != nil {
		return true, fault.About(l.id, err)
	}
	return true, nil
}

func (l loader) load() (messages.SessionLoaded, error) {
	none := messages.SessionLoaded{}
	session, found, err := l.session()
	if err != nil || !found {
		return none, err // it was deleted meanwhile
	}
	var cursor storev1.Cursor
	if _, err := l.get(record.BucketSessions, record.RowKey(l.number, record.RowCursor), &cursor); err != nil {
		return none, err
	}
	loaded := messages.SessionLoaded{Found: true, Record: session, Cursor: record.LoadCursor(&cursor)}
	if loaded.Run, err = l.newestRun(); err != nil {
		return none, err
	}
	if loaded.Inputs, err = l.inputs(); err != nil {
		return none, err
	}
	if loaded.Permissions, err = l.permissions(); err != nil {
		return none, err
	}
	return loaded, nil
}

// session returns the session's record, with its head.
func (l loader) session() (messages.SessionRecord, bool, error) {
	var session storev1.Session
	found, err := l.get(record.BucketSessions, record.RowKey(l.number, record.RowSession), &session)
	if err != nil || !found {
		return messages.SessionRecord{}, false, err
	}
	var cursor storev1.Cursor
	if _, err := l.get(record.BucketSessions, record.RowKey(l.number, record.RowCursor), &cursor); err != nil {
		return messages.SessionRecord{}, false, err
	}
	return record.LoadSession(l.id, messages.Seq(cursor.GetHead()), &session), true, nil
}

func (l loader) newestRun() (*messages.RunRecord, error) {
	var key, value []byte
	err := l.each(record.BucketRuns, func(k, v []byte) error {
		key, value = k, v
		return nil
	})
	if err != nil || key == nil {
		return nil, err
	}
	run, _ := record.SecondOf(key)
	var r storev1.Run
	if err := record.Decode(l.op, record.BucketRuns, key, value, &r); err != nil {
		return nil, fault.About(l.id, err)
	}
	return record.LoadRun(l.id, messages.RunNumber(run), &r), nil
}

func (l loader) inputs() ([]messages.InputRecord, error) {
	var inputs []messages.InputRecord
	err := l.each(record.BucketInputs, func(key, value []byte) error {
		var input storev1.Input
		if err := record.Decode(l.op, record.BucketInputs, key, value, &input); err != nil {
			return err
		}
		var body storev1.Body
		if err := l.view.Decode(l.op, record.BucketBodies, key, l.view.Get(record.BucketBodies, key), &body); err != nil {
			return err
		}
		inputs = append(inputs, record.LoadInput(record.NameOf(key), &input, &body))
		return nil
	})
	slices.SortFunc(inputs, func(a, b messages.InputRecord) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Key, b.Key))
	})
	return inputs, err
}

func (l loader) permissions() ([]messages.PermissionRecord, error) {
	var permissions []messages.PermissionRecord
	err := l.each(record.BucketPermissions, func(key, value []byte) error {
		var p storev1.Permission
		if err := record.Decode(l.op, record.BucketPermissions, key, value, &p); err != nil {
			return err
		}
		permissions = append(permissions, record.LoadPermission(l.id, record.NameOf(key), &p))
		return nil
	})
	slices.SortFunc(permissions, func(a, b messages.PermissionRecord) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Request, b.Request))
	})
	return permissions, err
}

// each walks the keys of the session in a bucket.
func (l loader) each(bucket []byte, fn func(key, value []byte) error) error {
	err := l.view.Each(bucket, record.PrefixOf(l.number), fn)
	if err != nil {
		return fault.About(l.id, err)
	}
	return nil
}

// Head returns the number of a session's last event.
func (s *Store) Head(id messages.SessionID) (messages.Seq, error) {
	done, err := s.reading(fault.OpHead)
	if err != nil {
		return 0, err
	}
	defer done()
	e, err := s.index.find(fault.OpHead, id)
	if err != nil {
		return 0, err
	}
	return e.head, nil
}

// Seen returns the head after the append with this idempotency key. Keys are kept
// until the file that has them is sealed, and after that as long as they are among the
// newest of their session and not too old.
func (s *Store) Seen(id messages.SessionID, key string) (seq messages.Seq, seen bool, err error) {
	r, seen, err := s.StoredResult(id, key)
	return r.Seq, seen, err
}

// StoredResult returns the stored result of the request with an idempotency key, as
// long as [Store.Seen] finds the key.
func (s *Store) StoredResult(id messages.SessionID, key string) (r messages.StoredResult, seen bool, err error) {
	if len(key) == 0 || len(key) > record.MaxName {
		return r, false, nil // no append can have this key
	}
	err = s.current(fault.OpSeen, func(v memtable.View) error {
		e, err := s.index.find(fault.OpSeen, id)
		if err != nil {
			return err
		}
		var k storev1.Key
		seen, err = loader{view: v, op: fault.OpSeen, id: id}.get(record.BucketKeys, record.NameKey(e.number, key), &k)
		if seen {
			r = messages.StoredResult{Key: key, Seq: messages.Seq(k.GetSeq()), Digest: bytes.Clone(k.GetDigest()), Answer: bytes.Clone(k.GetAnswer())}
		}
		return err
	})
	if err != nil {
		return messages.StoredResult{}, false, err
	}
	return r, seen, nil
}
