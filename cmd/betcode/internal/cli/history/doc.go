// Package history has the commands that look back over all sessions: 'search' finds what was said and done, 'digest' sums up what
// happened while a person was away.
//
// They call the daemon, which has the index and the journal, and print its answers. The time of the last digest that a person
// read is a file in the state directory; without it a digest goes back a day.
package history
