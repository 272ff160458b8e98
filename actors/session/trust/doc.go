// Package trust describes to people which files of a directory an agent does not obey.
//
// It is pure. What an agent obeys is decided when it is started; the session compares that with the present content, announces the
// difference and replaces the agent.
package trust
