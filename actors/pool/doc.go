// Package pool admits agents: it decides how many may run at once, which sessions wait for a slot, and which agents are parked
// to make room.
//
// # What is promised in which order
//
// Slots are granted in the order of the requests, those of people before those of subagents. No more slots are granted than
// [settings.Settings] allows; only adopted agents may exceed it. A session is asked to park its agent only while another session
// waits, and the agent that has been idle longest is parked first.
//
// While an account has a limit, none of its agents is started and its idle agents are parked, so that no turn begins. Running
// turns are left alone. When the limit ends, the agents start one after the other.
//
// # Who owns what
//
// The pool owns the slots and the queue. It owns no process: the session starts its agent, and releases the slot when the
// agent has ended.
//
// # On a crash
//
// Only the limits of accounts survive. The next incarnation sends [Restarted] to every session, which repeats its requests.
package pool
