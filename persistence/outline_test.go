package persistence

import (
	"reflect"
	"testing"

	"betcode/messages"
)

// The index has the same outline of a session when it is written and when the journal is opened again.
func TestOutlineAfterReopening(t *testing.T) {
	f := newFixture(t)
	a := begin(sid(1), 1)
	a.Record.Name, a.Record.Title, a.Record.UpdatedAt = "name", "from the prompt", epoch
	a.Record.Resolved, a.Record.WorktreeID, a.Record.Past.LowWater = "/behind/links", "w", 1
	a.Record.Subagent = &messages.SubagentRecord{Parent: sid(2), Status: messages.SubagentRunning}
	f.commit(a)
	written := *f.store.entries().get(sid(1))
	if o := written.outline(); o.Title != "from the prompt" || o.Name != "name" || o.Parent != sid(2) || o.LowWater != 1 {
		t.Errorf("written: %+v", o)
	}
	f.reopen()
	if read := *f.store.entries().get(sid(1)); !reflect.DeepEqual(described(read), described(written)) {
		t.Errorf("read    %+v\nwritten %+v", described(read), described(written))
	}
}

// described is the part of an entry that comes from the session's record.
func described(e entry) entry {
	return entry{
		name: e.name, title: e.title, directory: e.directory, place: e.place, worktree: e.worktree, parent: e.parent, running: e.running,
		proxied: e.proxied, rest: e.rest, updated: e.updated, low: e.low,
	}
}
