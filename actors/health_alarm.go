package actors

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"betcode/messages"
)

// alarmHealth is what health knows about agents that approved themselves, and about
// fences. Runs tell it when it changes.
type alarmHealth struct {
	frozen, fenced map[messages.SessionID]bool
}

type (
	// frozenHealth says whether an alarm holds the agent of a session.
	frozenHealth struct {
		session messages.SessionID
		on      bool
	}
	// fencedHealth says whether the agent of a session runs within a fence.
	fencedHealth struct {
		session messages.SessionID
		on      bool
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

// maxShortIDs bounds how many sessions a line of health names.
const maxShortIDs = 3

// names lists sessions, the first few by their short ids.
func names(set map[messages.SessionID]bool) string {
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

// view is the line of the frozen agents, where there are any.
func (a alarmHealth) view(now time.Time) messages.ComponentHealth {
	return messages.ComponentHealth{
		Name: "alarms", Checked: now, Serving: true, State: "agents_frozen",
		Message: fmt.Sprintf("%d frozen: %s; 'betcode session resume' lets one go on, 'betcode session stop' ends it", len(a.frozen), names(a.frozen)),
		Reason:  "Agents that approved themselves are frozen", Impact: "They wait for a person",
	}
}
