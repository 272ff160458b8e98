package health

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"betcode/messages"
)

// alarms lists the sessions whose agents an alarm froze, and those whose agents run in a fence. Runs report changes.
type alarms struct {
	frozen, fenced map[messages.SessionID]bool
}

// Messages of runs.
type (
	// Frozen reports whether an alarm froze the agent of a session.
	Frozen struct {
		Session messages.SessionID
		On      bool
	}
	// Fenced reports whether the agent of a session runs in a fence.
	Fenced struct {
		Session messages.SessionID
		On      bool
	}
)

// with returns a set with or without an id.
func with(set map[messages.SessionID]bool, id messages.SessionID, in bool) map[messages.SessionID]bool {
	if set[id] == in {
		return set
	}
	set = maps.Clone(set)
	if set == nil {
		set = map[messages.SessionID]bool{}
	}
	if delete(set, id); in {
		set[id] = true
	}
	return set
}

// maxShortIDs bounds how many sessions a line of health lists.
const maxShortIDs = 3

// Names lists sessions, the first few by their short ids.
func Names(set map[messages.SessionID]bool) string {
	ids := slices.Sorted(maps.Keys(set))
	var short []string
	for _, id := range ids[:min(len(ids), maxShortIDs)] {
		short = append(short, string(id[:min(len(id), 8)]))
	}
	if more := len(ids) - len(short); more > 0 {
		short = append(short, fmt.Sprintf("%d more", more))
	}
	return strings.Join(short, ", ")
}

// view returns the line of the frozen agents.
func (a alarms) view(now time.Time) messages.ComponentHealth {
	return messages.ComponentHealth{
		Name: "alarms", Checked: now, Serving: true, State: "agents_frozen",
		Message: fmt.Sprintf("%d frozen: %s; 'betcode session resume' lets one go on, 'betcode session stop' ends it", len(a.frozen), Names(a.frozen)),
		Reason:  "Agents that approved themselves are frozen", Impact: "They wait for a person",
	}
}
