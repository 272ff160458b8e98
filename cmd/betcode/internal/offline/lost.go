package offline

import (
	"fmt"
	"io"
	"time"

	"betcode/cmd/betcode/internal/console"
	"betcode/persistence"
)

const restoreSchema = "betcode.journal.restore/v1"

// lostShown bounds how many sessions with lost events are listed for a person.
const lostShown = 20

// Restored is the result of a restore.
type Restored struct{ persistence.Restored }

// Write writes the result for a person.
func (done Restored) Write(w io.Writer) {
	plans := ""
	if done.Plans > 0 {
		plans = " and " + console.Count(done.Plans, "orchestration")
	}
	fmt.Fprintf(w, "%s: %s%s, %s; its lineage is %s\n", done.Directory, console.Count(done.Sessions, "session"), plans, console.Size(uint64(max(done.Bytes, 0))), done.Lineage)
	for _, aside := range done.Aside {
		fmt.Fprintf(w, "The former files are in %s\n", aside)
	}
	done.writeLost(w)
	done.writeLostPlans(w)
}

// writeLostPlans lists the newer events of orchestrations.
func (done Restored) writeLostPlans(w io.Writer) {
	if len(done.LostPlans) > 0 {
		fmt.Fprintf(w, "Newer than the backup, and now only in the files moved aside: events of %s\n", console.Count(len(done.LostPlans), "orchestration"))
	}
	for i, l := range done.LostPlans {
		if i == lostShown {
			fmt.Fprintf(w, "  and %s more; --json lists all\n", console.Count(len(done.LostPlans)-lostShown, "orchestration"))
			break
		}
		least, whole := "", ""
		if l.Damaged {
			least = "at least "
		}
		if l.Whole {
			whole = ", the whole orchestration"
		}
		fmt.Fprintf(w, "  %s  %s%s%s, last changed %s  %s\n", l.Orchestration, least, console.Count(l.Events(), "event"), whole,
			l.Updated.Local().Format(time.DateTime), console.Line(l.Name))
	}
}

// lostEvents returns how many events of the replaced journal the backup does not have.
func (done Restored) lostEvents() (all uint64) {
	for _, l := range done.Lost {
		all += l.Events()
	}
	return all
}

// writeLost lists the events that were newer than the backup. The files that were moved aside have
// them.
func (done Restored) writeLost(w io.Writer) {
	switch {
	case done.Unread != nil:
		fmt.Fprintf(w, "It is not known what was newer than the backup; the replaced journal cannot be read: %s\n",
			console.Line(done.Unread.Error()))
		return
	case done.Replaced == "":
		return
	case len(done.Lost) == 0:
		fmt.Fprintln(w, "No session of the replaced journal had more events than the backup.")
	default:
		fmt.Fprintf(w, "Newer than the backup, and now only in the files moved aside: %s of %s\n",
			console.Count(done.lostEvents(), "event"), console.Count(len(done.Lost), "session"))
	}
	for i, l := range done.Lost {
		if i == lostShown {
			fmt.Fprintf(w, "  and %s more; --json lists all\n", console.Count(len(done.Lost)-lostShown, "session"))
			break
		}
		least, whole := "", ""
		if l.Damaged {
			least = "at least "
		}
		if l.Kept == 0 {
			whole = ", the whole session"
		}
		fmt.Fprintf(w, "  %s  %s%s%s, last changed %s  %s\n", l.Session, least, console.Count(l.Events(), "event"), whole,
			l.Updated.Local().Format(time.DateTime), console.Line(l.Name))
	}
	if done.Replaced != done.From {
		fmt.Fprintln(w, "The backup is of another journal than the replaced one: only the numbers of events were compared.")
	}
}

// JSON returns the result for programs: "betcode.journal.restore/v1".
func (done Restored) JSON() map[string]any {
	lost := []any{}
	for _, l := range done.Lost {
		lost = append(lost, map[string]any{
			"session_id": l.Session, "name": l.Name, "events": l.Events(), "head": l.Head, "head_in_backup": l.Kept,
			"updated_at": l.Updated, "at_least": l.Damaged,
		})
	}
	lostPlans := []any{}
	for _, l := range done.LostPlans {
		lostPlans = append(lostPlans, map[string]any{
			"orchestration_id": l.Orchestration, "name": l.Name, "events": l.Events(), "head": l.Head, "head_in_backup": l.Kept,
			"updated_at": l.Updated, "at_least": l.Damaged,
		})
	}
	value := map[string]any{
		"schema": restoreSchema, "directory": done.Directory, "lineage": done.Lineage, "restored_from": done.From,
		"files": done.Files, "bytes": done.Bytes, "sessions": done.Sessions, "problems": len(done.Problems),
		"moved_aside": append([]string{}, done.Aside...),
		"replaced":    done.Replaced, "lost": lost, "lost_events": done.lostEvents(),
		"orchestrations": done.Plans, "lost_orchestrations": lostPlans,
	}
	if done.Unread != nil {
		value["lost_unknown"] = done.Unread.Error()
	}
	return value
}
