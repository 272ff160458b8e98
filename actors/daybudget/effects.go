package daybudget

import (
	"time"

	"betcode/messages"
)

// Messages of the actor to itself.
type (
	// read has the records of the journal.
	read struct {
		records []Record
		err     error
	}
	// readAgain is sent when the journal is to be read again.
	readAgain struct{}
	// due is sent when the day may be over.
	due struct{}
)

// Effects of a step.
type (
	readJournal struct{}
	announce    struct{ changed bool }
	sendNear    struct {
		session messages.SessionID
		near    Near
	}
	sendAgain struct{}
	retryRead struct{ err error }
	wakeAt    struct{ after time.Duration }
)

func (readJournal) Effect() {}
func (announce) Effect()    {}
func (sendNear) Effect()    {}
func (sendAgain) Effect()   {}
func (retryRead) Effect()   {}
func (wakeAt) Effect()      {}
