// Package damage is the machine of a session that the journal cannot load.
//
//	             Found                  Ended                    Deleted
//	not loaded ─────────► AGENTS END ───────────► AGENTS GONE ─────────────► no session
//	                          ▲    stops answered     │
//	                          └───────────────────────┘
//	                            stop, deletion, end of the daemon
//
// The agents are ended when the damage is found, because none of their output could be stored, and again for each request that needs
// them gone: an agent may have been found since. A deletion is carried out when they are gone. Nothing else changes such a session.
//
// A [Damage] is a value: it does no I/O, and a copy is independent of the original. Nothing of it is durable.
package damage

import (
	"slices"

	"betcode/actors/session/ending"
	"betcode/messages"
)

// Damage is the state of a damaged session. W is a request that waits.
type Damage[W any] struct {
	messages.DamagedSession

	ending  bool // its agents are being ended
	waiters ending.Waiters[W]
}

// Found begins with damage that was found. The agents are to be ended.
func Found[W any](d messages.DamagedSession) Damage[W] {
	return Damage[W]{DamagedSession: d, ending: true}
}

// Busy reports whether agents are being ended, or a deletion is under way.
func (d *Damage[W]) Busy() bool { return d.ending || len(d.waiters[ending.Delete]) > 0 }

// Refusal is a copy of the error, for one more caller.
func (d *Damage[W]) Refusal() *messages.Error {
	e := *d.Err
	return &e
}

// Wait adds a request that waits until the agents are gone: for a stop, a shutdown or a deletion. It reports whether the agents are
// to be ended now; if not, that is under way.
func (d *Damage[W]) Wait(why ending.Reason, request W) bool {
	d.waiters.Add(why, request)
	begins := !d.ending
	d.ending = true
	return begins
}

// Outcome is what follows an attempt to end the agents.
type Outcome[W any] struct {
	Ready   []W  // of the end of the daemon: it does not wait for what cannot be ended
	Stopped []W  // stops that are carried out
	Failed  []W  // stops and deletions that are not
	Delete  bool // the session is to be deleted now
}

// Ended takes the result of an attempt to end the agents.
func (d *Damage[W]) Ended(err error) Outcome[W] {
	d.ending = false
	o := Outcome[W]{Ready: d.waiters.Take(ending.Shutdown), Stopped: d.waiters.Take(ending.Stop)}
	if err != nil {
		o.Failed = append(slices.Clip(o.Stopped), d.waiters.Take(ending.Delete)...)
		o.Stopped = nil
	}
	o.Delete = len(d.waiters[ending.Delete]) > 0
	return o
}

// Deleted ends a deletion, carried out or refused by the journal, and returns the requests for it.
func (d *Damage[W]) Deleted() []W { return d.waiters.Take(ending.Delete) }
