package lock_test

import (
	"strings"
	"testing"

	"betcode/actors/session/lock"
	"betcode/messages"
)

func TestErrors(t *testing.T) {
	const op, id, ann = "take lock", messages.SessionID("s1"), messages.ClientID("ann")
	for name, test := range map[string]struct {
		err                  *messages.Error
		kind                 messages.Kind
		code                 messages.Code
		told                 string
		session, holder, res string
	}{
		"an observer":        {lock.ObserverError(op, id), messages.WrongState, "", "as an observer", "s1", "", ""},
		"no stream":          {lock.NoStreamError(op, id, ann), messages.WrongState, "", "no stream", "s1", "ann", ""},
		"a full queue":       {lock.FullError(op), messages.Exhausted, "", "wait for the input lock", "", "", ""},
		"not the holder":     {lock.NotHolderError(op, ann), messages.WrongState, "", "does not hold", "", "ann", ""},
		"another holds it":   {lock.NoLockError(op, id, lock.Writer{Holder: ann}), messages.Denied, messages.NoInputLock, "another client", "s1", "ann", ""},
		"it is reserved":     {lock.NoLockError(op, id, lock.Writer{Reserved: true}), messages.Denied, messages.NoInputLock, "another client", "s1", "", "true"},
		"observers never do": {lock.NoLockError(op, id, lock.Writer{Holder: ann, Observes: true}), messages.Denied, messages.NoInputLock, "an observer", "s1", "ann", ""},
		"not for observers":  {lock.NoLockError(op, id, lock.Writer{Observes: true, Reserved: true}), messages.Denied, messages.NoInputLock, "an observer", "s1", "", ""},
	} {
		e := test.err
		if e.Op != op || e.Kind != test.kind || e.Code != test.code || !strings.Contains(e.Error(), test.told) || e.Hint == "" {
			t.Errorf("%s: %+v", name, e)
		}
		if d := e.Details; d["session_id"] != test.session || d["holder_client_id"] != test.holder || d["lock_reserved"] != test.res {
			t.Errorf("%s: %v", name, d)
		}
	}
}
