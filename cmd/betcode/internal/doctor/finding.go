package doctor

import "fmt"

// Severity is the severity of a finding.
type Severity uint8

// The severities, in rising order.
const (
	OK      Severity = iota // as it should be
	Note                    // works; worth knowing
	Warning                 // works, and may fail later
	Problem                 // does not work
)

var severities = [...]string{"ok", "note", "warning", "problem"}

// String returns the name of the severity.
func (s Severity) String() string {
	if int(s) < len(severities) {
		return severities[s]
	}
	return fmt.Sprintf("Severity(%d)", uint8(s))
}

// MarshalText implements encoding.TextMarshaler.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Finding is the result of one check.
type Finding struct {
	ID       string   `json:"id"` // stable, for example "agent.path"
	Severity Severity `json:"severity"`
	Reason   string   `json:"reason"`         // one line
	Mend     string   `json:"mend,omitempty"` // the exact command that repairs it, if there is one
	Fixable  bool     `json:"fixable"`        // [Apply] can repair it
	fix      fix
}

// fix is a repair as data: at most one of its fields is set.
type fix struct {
	private string // a directory that is to be closed to others
	linger  string // a user whose services are to run without a login
}

// check is one row of the table of checks.
type check struct {
	id      string
	examine func(Facts) Finding // its id is filled in
	local   bool                // it is about this machine, not about a daemon elsewhere
}

// Diagnose returns one finding per check, in the order of the table. Checks of this machine are left out if the daemon is
// elsewhere.
func Diagnose(f Facts) []Finding {
	var all []Finding
	for _, c := range checks {
		if c.local && f.Daemon.Remote {
			continue
		}
		found := c.examine(f)
		found.ID, found.Fixable = c.id, found.fix != fix{}
		all = append(all, found)
	}
	return all
}

// Worst returns the highest severity of findings.
func Worst(all []Finding) Severity {
	worst := OK
	for _, f := range all {
		worst = max(worst, f.Severity)
	}
	return worst
}

// checks is the one table of checks.
var checks = []check{
	{"daemon.running", running, false},
	{"daemon.version", sameVersion, false},
	{"daemon.health", health, false},
	{"agents.orphans", checkOrphans, true},
	{"socket.directory", socketDirectory, true},
	{"state.directory", stateDirectory, true},
	{"state.filesystem", filesystem, true},
	{"state.space", space, true},
	{"clock", clock, true},
	{"agent.path", agentPath, true},
	{"agent.version", agentVersion, true},
	{"agent.login", login, true},
	{"kernel.fence", fence, true},
	{"kernel.memory", memory, true},
	{"kernel.inotify", inotify, true},
	{"service.unit", unit, true},
	{"service.linger", linger, true},
}

func ok(format string, args ...any) Finding {
	return Finding{Severity: OK, Reason: fmt.Sprintf(format, args...)}
}

func found(s Severity, mend, format string, args ...any) Finding {
	return Finding{Severity: s, Mend: mend, Reason: fmt.Sprintf(format, args...)}
}
