package persistence

import (
	"bytes"
	"slices"

	bolt "go.etcd.io/bbolt"

	"betcode/messages"
	storev1 "betcode/proto/betcode/store/v1"
)

// awaitPersons marks each session that has work as waiting for a person. A backup may
// be old, its directories may be trusted no longer, and its messages may have been
// acted upon since: nothing of it is continued because a daemon was started. Neither are
// permission modes confirmed any longer: this may be another machine.
func (r *restorer) awaitPersons(tx *bolt.Tx) error {
	busy := map[uint64]bool{}
	err := tx.Bucket(bucketInputs).ForEach(func(key, _ []byte) error {
		if number, ok := numberOf(key); ok {
			busy[number] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	var changed []op
	err = tx.Bucket(bucketSessions).ForEach(func(key, value []byte) error {
		number, ok := numberOf(key)
		if !ok || !slices.Equal(key, rowKey(number, rowSession)) {
			return nil
		}
		var s storev1.Session
		if err := decode(opRestore, bucketSessions, key, value, &s); err != nil {
			return nil //nolint:nilerr // it says so itself when it is read
		}
		works := s.GetTurn() || busy[number]
		if !works && len(s.GetConfirmedModes()) == 0 {
			return nil
		}
		if works {
			s.Waiting = messages.WaitsRestored
		}
		s.ConfirmedModes = nil
		marked, err := encode(key, &s, nil)
		if err != nil {
			return err
		}
		changed = append(changed, op{bucketSessions, bytes.Clone(key), marked})
		return nil
	})
	for _, o := range changed {
		if err == nil {
			err = tx.Bucket(o.bucket).Put(o.key, o.value)
		}
	}
	return err
}
