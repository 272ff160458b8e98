package persistence

import (
	"slices"
	"testing"
	"time"

	"betcode/messages"
)

// A subagent is found by its parent, is not continued by people, and is supervised by the next daemon until it has ended.
func TestSubagentsAreListed(t *testing.T) {
	f := newFixture(t)
	commit := func(n int, after messages.Seq, child *messages.SubagentRecord) {
		t.Helper()
		r := summary(sid(n), epoch.Add(time.Duration(n)*time.Minute))
		r.CreatedAt, r.Subagent = epoch.Add(time.Duration(10-n)*time.Minute), child
		f.commit(messages.Append{Session: sid(n), Expect: after, Events: events(after, 1), Record: r})
	}
	commit(1, 0, nil)
	commit(2, 0, &messages.SubagentRecord{Parent: sid(1), Status: messages.SubagentPending})
	commit(3, 0, &messages.SubagentRecord{Parent: sid(1), Status: messages.SubagentRunning})
	commit(4, 0, &messages.SubagentRecord{Parent: sid(2), Status: messages.SubagentRunning})
	commit(3, 1, &messages.SubagentRecord{Parent: sid(1), Status: messages.SubagentCompleted})
	for _, when := range []string{"at once", "after it was opened again"} {
		ids := func(records []messages.SessionRecord, err error) (ids []messages.SessionID) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range records {
				ids = append(ids, r.ID)
			}
			return ids
		}
		same(t, when+", of a session", ids(f.store.Subagents(sid(1))), []messages.SessionID{sid(3), sid(2)})
		same(t, when+", all", ids(f.store.Subagents("")), []messages.SessionID{sid(4), sid(3), sid(2)})
		same(t, when+", running", f.store.RunningSubagents(sid(1)), []messages.SessionID{sid(2)})
		conversations, err := f.store.Conversations("", "", 0, 0, nil)
		same(t, when+", conversations", ids(conversations.Sessions, err), []messages.SessionID{sid(1)})
		last, err := f.store.Resolve("@last", "")
		if conversations.Total != 1 || last != sid(1) || err != nil {
			t.Errorf("%s: %d conversations, the last is %v, %v", when, conversations.Total, last, err)
		}
		unfinished, err := f.store.Unfinished()
		slices.Sort(unfinished)
		if err != nil {
			t.Fatal(err)
		}
		same(t, when+", unfinished", unfinished, []messages.SessionID{sid(2), sid(4)})
		f.reopen()
	}
}
