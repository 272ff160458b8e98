// Package history has the commands that look back over all sessions: 'search' finds what was said and done.
//
// It asks the daemon, which has the index, and shows what it answers. It keeps nothing.
package history
