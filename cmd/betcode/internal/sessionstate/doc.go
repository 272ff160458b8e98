// Package sessionstate says what a session does, in the words that people choose sessions by.
//
// The daemon reports several facts about a session: the phase of its record, undecided requests, what keeps its agent
// from running, its place in the queue for agents. [Of] makes one state with a reason of them. It is pure, so that lists,
// filters, the screen and 'session wait' agree.
package sessionstate
