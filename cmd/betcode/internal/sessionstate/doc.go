// Package sessionstate names the state of a session, with the names that filters of lists use.
//
// The daemon reports several facts about a session: the phase of its record, undecided requests,
// the condition of its agent, its place in the queue for a slot. [Of] derives one state with a
// reason from them. It is pure, so that lists, filters, the screen and 'session wait' agree.
package sessionstate
