package notices

import (
	"time"

	"betcode/actors/internal/notify"
)

// Raise requests the delivery of a notice. Sessions send it; it is not answered.
type Raise struct{ Notice notify.Notice }

// Messages that are results of effects.
type (
	// loaded has the deliveries that an earlier incarnation left.
	loaded struct {
		left []delivery
		err  error
	}
	// kept is the result of writing the file of a delivery.
	kept struct {
		number uint64
		err    error
	}
	// ended is the outcome of an attempt to deliver.
	ended struct {
		channel notify.Channel
		numbers []uint64
		stale   []uint64 // those of numbers whose requests no longer wait
		err     error
	}
	// due is sent when a delivery is due.
	due struct{}
)

// delivery is one notice for one channel. It is also the format of its file.
type delivery struct {
	Number   uint64         `json:"number"` // rising; names the file
	Channel  notify.Channel `json:"channel"`
	Notice   notify.Notice  `json:"notice"`
	Attempts int            `json:"attempts"`
	Due      time.Time      `json:"due"`

	stored   bool // the file is written
	underWay bool
}

// The effects of the actor.
type (
	load    struct{}                    // then loaded
	keep    struct{ delivery delivery } // then kept
	forget  struct{ numbers []uint64 }
	attempt struct { // then ended
		channel notify.Channel
		batch   []delivery
	}
	wake     struct{ after time.Duration } // then due
	complain struct {
		text   string
		number uint64
		about  notify.Notice
		err    error
	}
)

func (load) Effect()     {}
func (keep) Effect()     {}
func (forget) Effect()   {}
func (attempt) Effect()  {}
func (wake) Effect()     {}
func (complain) Effect() {}
