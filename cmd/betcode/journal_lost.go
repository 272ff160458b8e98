package main

import (
	"fmt"
	"time"

	"betcode/cmd/betcode/internal/console"
	"betcode/persistence"
)

// lostShown is how many sessions are told of that were newer than a backup.
const lostShown = 20

// lostEvents is how many events the journal that was replaced had more than the backup.
func lostEvents(done persistence.Restored) (all uint64) {
	for _, l := range done.Lost {
		all += l.Events()
	}
	return all
}

// tellLost says what was newer than the backup. It is in what was moved aside.
func (p *program) tellLost(done persistence.Restored) {
	switch {
	case done.Unread != nil:
		fmt.Fprintf(p.Stdout, "What was newer than the backup is not known; the journal that was replaced cannot be read: %s\n",
			console.Line(done.Unread.Error()))
		return
	case done.Replaced == "":
		return
	case len(done.Lost) == 0:
		fmt.Fprintln(p.Stdout, "No session of the journal that was replaced had more events than the backup.")
	default:
		fmt.Fprintf(p.Stdout, "Newer than the backup, and now only in what was moved aside: %d event(s) of %d session(s)\n",
			lostEvents(done), len(done.Lost))
	}
	for i, l := range done.Lost {
		if i == lostShown {
			fmt.Fprintf(p.Stdout, "  and %d session(s) more; --json names all\n", len(done.Lost)-lostShown)
			break
		}
		least, whole := "", ""
		if l.Damaged {
			least = "at least "
		}
		if l.Kept == 0 {
			whole = ", the whole session"
		}
		fmt.Fprintf(p.Stdout, "  %s  %s%d event(s)%s, last changed %s  %s\n", l.Session, least, l.Events(), whole,
			l.Updated.Local().Format(time.DateTime), console.Line(l.Name))
	}
	if done.Replaced != done.From {
		fmt.Fprintln(p.Stdout, "The journal that was replaced was not the one of the backup: they were compared by the numbers of events alone.")
	}
}

// restoredValue is what a restore did, for programs.
func restoredValue(done persistence.Restored) map[string]any {
	lost := []any{}
	for _, l := range done.Lost {
		lost = append(lost, map[string]any{
			"session_id": l.Session, "name": l.Name, "events": l.Events(), "head": l.Head, "head_in_backup": l.Kept,
			"updated_at": l.Updated, "at_least": l.Damaged,
		})
	}
	value := map[string]any{
		"schema": restoreSchema, "directory": done.Directory, "lineage": done.Lineage, "restored_from": done.From,
		"files": done.Files, "bytes": done.Bytes, "sessions": done.Sessions, "problems": len(done.Problems),
		"moved_aside": append([]string{}, done.Aside...),
		"replaced":    done.Replaced, "lost": lost, "lost_events": lostEvents(done),
	}
	if done.Unread != nil {
		value["lost_unknown"] = done.Unread.Error()
	}
	return value
}
