package health

import (
	"fmt"
	"slices"
	"time"

	"betcode/messages"
)

// crashWindow is how long a crash of an agent counts for health, crashesMany how many
// within it degrade the daemon, and crashesKept how many are stored.
const (
	crashWindow = 10 * time.Minute
	crashesMany = 5
	crashesKept = 1000
)

// AgentCrashed reports that the process of an agent crashed.
type AgentCrashed struct{ Session messages.SessionID }

// crashCount counts the crashes of agents since the start of the daemon.
type crashCount struct {
	total  int
	newest messages.SessionID // whose agent crashed last
	recent []time.Time        // within the window, the oldest first
}

// add counts one more crash.
func (c crashCount) add(at time.Time, session messages.SessionID) crashCount {
	c.recent = append(c.within(at), at)
	if over := len(c.recent) - crashesKept; over > 0 {
		c.recent = c.recent[over:]
	}
	c.total, c.newest = c.total+1, session
	return c
}

// within returns a copy of the times within the window.
func (c crashCount) within(now time.Time) []time.Time {
	return slices.DeleteFunc(slices.Clone(c.recent), func(t time.Time) bool { return now.Sub(t) >= crashWindow })
}

// view returns the line of the agents' crashes; false if there was none.
func (c crashCount) view(now time.Time) (messages.ComponentHealth, bool) {
	if c.total == 0 {
		return messages.ComponentHealth{}, false
	}
	recent := len(c.within(now))
	h := messages.ComponentHealth{
		Name: "agents", Serving: true, Checked: now,
		Message: fmt.Sprintf("%d crashes in %d minutes, %d since the start; the last in session %s", recent, int(crashWindow.Minutes()), c.total, c.newest),
	}
	if recent >= crashesMany {
		h.State, h.Reason = "agents_crashing", "Agents crash often"
		h.Impact = "They are started again until that is too often; 'betcode session export " + messages.ShortID(c.newest) + "' shows what the last one said"
	}
	return h, true
}
