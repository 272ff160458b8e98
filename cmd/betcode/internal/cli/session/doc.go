// Package session has the commands of 'betcode session', of which the most common ones also exist without the first word: ps,
// attach, logs, stop and new.
//
// SESSION is an id, the beginning of one, a name, or @last; the daemon resolves it. A command that takes several sessions
// goes on after a failure and ends with the code of the first one.
package session
