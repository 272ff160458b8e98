// Package session is the behaviour of one conversation: which client may write, what the agent gets, what its output means,
// who decides permission requests, when an agent is started, parked and started again.
//
// The state of a session is the struct state. Its method step takes one message and returns the next state and effects, which
// are data; it does no I/O and reads no clock. A transition is one step under construction: handlers change it, reconcile and
// the other hooks at its end compare what is wanted with what there is, and finish turns it into an append and effects. The
// actor keeps the state and performs the effects, in order.
//
// The files form layers: a function calls only into files below its own (a test holds this). From below: facts.go, the queries
// of the state; transition.go, the operations of a step; work, blocked, prompt and the other files of one subject; above them
// the handlers of messages (input, output, permission, run, clients); then handle, the table of all messages, and step, which
// ends with reconcile; at the top the actor, which performs the effects.
//
// Anything that does not need the session's state has a package of its own below this one. Machines return facts, which the session turns into
// events, records and replies: lock, presence, prompts, inputs, requests, watchdog, durable, slot, family, forward, day, handover,
// proxied, trust, inquiry, ending, damage. Functions from one record to the next: repeat, compaction, subagent, budget, alarm, evidence,
// screening, answers, recall, oldagent. Tables and texts: condition, modes, events, audit.
//
// # Who owns what
//
// A session owns the sequence numbers of its events, and the actors of its children: its run, its clients, and the permission
// requests that wait. It owns the messages that it exchanges with its parent (protocol.go), and the struct [Deps] of what it
// needs of the system. It owns no process, no file and no timer that outlives it. Files beside the journal, such as a
// saved stop, belong to the system, which passes functions for them in [Deps].
//
// # What is promised in which order
//
// All effects of a step wait until its append is on disk: first the streams get the events, then callers get answers, then the
// run, the pool and the permission actors get their messages. Effects of later steps follow them. Only effects that may be lost happen before the commit.
// While the journal cannot be written, nothing is accepted, decided or started; a stop is carried out nevertheless.
//
// # On a crash
//
// The actor is restarted and loads its state from the journal, behind its own earlier appends. Its children are started again:
// the run adopts the process and reads on from the consumed offset, requests that wait get new actors, and the gateway attaches
// the streams behind the last number that they have delivered. Messages for an earlier incarnation are dropped until the state
// is loaded; requests of clients wait for that. A caller may ask again: results that must not be repeated are in the journal.
package session
