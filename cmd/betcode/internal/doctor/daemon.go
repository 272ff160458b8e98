package doctor

import (
	"fmt"
	"strings"
	"time"
)

func running(f Facts) Finding {
	d := f.Daemon
	switch {
	case d.Answers:
		return ok("a daemon serves at %s", d.Socket)
	case d.Holder > 0:
		return found(Problem, "betcode daemon restart", "a daemon runs (pid %d), and %s does not answer", d.Holder, d.Socket)
	case d.Remote:
		return found(Problem, "", "no daemon answers at %s; start it there, and check --address, --tls and --token-file", d.Socket)
	}
	return found(Note, "betcode daemon start", "no daemon runs")
}

func sameVersion(f Facts) Finding {
	d := f.Daemon
	switch {
	case !d.Answers:
		return ok("no daemon to compare with")
	case d.Version == "" || d.Version == f.Version:
		return ok("daemon and command are %s", f.Version)
	case d.Remote:
		return found(Note, "", "the daemon is %s, this command is %s", d.Version, f.Version)
	}
	return found(Warning, "betcode daemon restart", "the daemon is %s, this command is %s; a restart interrupts no agent", d.Version, f.Version)
}

func health(f Facts) Finding {
	d := f.Daemon
	switch {
	case !d.Answers:
		return ok("no daemon to ask")
	case d.Err != nil:
		return found(Problem, "betcode daemon status", "the daemon does not say how its components work: %v", d.Err)
	case len(d.Ill) == 0 && d.Degraded == "":
		return ok("all components work")
	case len(d.Ill) == 0:
		return found(Warning, "betcode daemon status", "%s", d.Degraded)
	}
	var parts []string
	for _, c := range d.Ill {
		parts = append(parts, fmt.Sprintf("%s: %s", c.Name, c.Message))
	}
	return found(Problem, "betcode daemon status", "%s", strings.Join(parts, "; "))
}

func checkOrphans(f Facts) Finding {
	switch {
	case f.Daemon.Answers || f.Daemon.Holder > 0:
		return ok("the daemon follows its agents")
	case f.Orphans == 0:
		return ok("no agent runs without a daemon")
	}
	return found(Warning, "betcode daemon start", "agents run without a daemon: %d; the next one takes them over", f.Orphans)
}

// skew is how far ahead a file may be of the clock: filesystems round times.
const skew = time.Minute

func clock(f Facts) Finding {
	if ahead := f.Newest.Sub(f.Now); ahead > skew {
		return found(Warning, "sudo timedatectl set-ntp true",
			"the journal was written %s after the present time; deadlines and budgets follow the clock", ahead.Round(time.Second))
	}
	return ok("the clock is not behind the journal")
}
