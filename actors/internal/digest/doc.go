// Package digest sums up the events of a session for a person who was away: turns, failures, costs, changed files, and decisions
// with their authors. It is pure: [Fold] takes one event after the other.
package digest
