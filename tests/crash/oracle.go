package main

import (
	"context"
	"path/filepath"
	"time"

	"betcode/persistence"
	"betcode/tests/kit"
)

// judge holds what the clients saw against what the daemon replays, what it
// replays against what the agents wrote, and what was acknowledged against what
// the agents took in. Then it stops the daemon and looks at what is left.
func (r *round) judge(ctx context.Context) {
	for i, id := range r.sessions {
		if len(r.writer(i).said) == 0 {
			continue
		}
		all, err := r.replay(ctx, id)
		if err != nil {
			r.report(lost, "session %s is not replayed: %v", id, err)
			continue
		}
		for _, c := range r.clients[2*i : 2*i+2] {
			r.compare(c, all)
		}
		r.checkLives(id, all)
		r.compareText(id, all)
		r.compareInputs(r.writer(i), all)
	}
	d := r.house.now()
	r.house.set(nil)
	if _, err := d.Stop(); err != nil {
		r.report(otherwise, "%v", err)
	}
	r.ended(d)
	r.lookForOrphans()
	r.verifyJournal(ctx)
}

// replay reads a whole history as a new client.
func (r *round) replay(ctx context.Context, id string) ([]kit.Event, error) {
	stream, err := r.house.now().Resume(ctx, id, 0)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	if err := stream.WaitEnd(); err != nil {
		return nil, err
	}
	return kit.Journaled(stream.Events(), 1)
}

// compare checks that what a client saw is replayed as it was.
func (r *round) compare(c *client, all []kit.Event) {
	seen := c.events()
	if len(seen) > len(all) {
		r.report(lost, "%s; %d are replayed", c.where(), len(all))
		return
	}
	if err := kit.Same(seen, all[:len(seen)]); err != nil {
		r.report(reordered, "%s: %v", c.where(), err)
	}
}

// compareText checks that the events hold the text that the agents wrote, once.
func (r *round) compareText(id string, all []kit.Event) {
	want, err := r.spoken(id)
	if err != nil {
		r.report(otherwise, "the spool of %s: %v", id, err)
		return
	}
	got := kit.Text(all)
	if got == want {
		return
	}
	at := 0
	for at < len(got) && at < len(want) && got[at] == want[at] {
		at++
	}
	kind := lost
	if len(got) > len(want) {
		kind = duplicated
	}
	r.report(kind, "text of %s: %d bytes in events, %d from the agents, different from %d on: %.60q, %.60q",
		id, len(got), len(want), at, got[at:], want[at:])
}

// compareInputs checks that each message has one UserInput and is in the agent's
// conversation once; one that the daemon gave up aloud may be missing there.
func (r *round) compareInputs(c *client, all []kit.Event) {
	accepted, err := r.crew.accepted(r, c)
	if err != nil {
		r.report(otherwise, "the conversation of %s: %v", c.session, err)
		return
	}
	acknowledged, dropped := map[string]int{}, map[string]bool{}
	for _, e := range all {
		if key := e.GetUserInput().GetIdempotencyKey(); key != "" {
			acknowledged[key]++
		}
		if n := e.GetNotice(); n.GetCode() == "INPUT_DROPPED" {
			dropped[n.GetDetails()["idempotency_key"]] = true
		}
	}
	for _, m := range c.said {
		r.checkCount(m, "acknowledged", acknowledged[m.key], false)
		r.checkCount(m, "taken into the conversation", accepted[m.key], dropped[m.key])
	}
}

func (r *round) checkCount(m *message, what string, n int, mayMiss bool) {
	switch {
	case n > 1:
		r.report(duplicated, "message %s (%q) was %s %d times", m.key, m.text, what, n)
	case n == 0 && !mayMiss:
		r.report(lost, "message %s (%q) was never %s", m.key, m.text, what)
	}
}

// lookForOrphans gives what is ending the time to end; what is left has none.
func (r *round) lookForOrphans() {
	var left []int
	for deadline := time.Now().Add(patience / 3); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if left = r.world.Left(); len(left) == 0 {
			return
		}
	}
	for _, pid := range left {
		r.report(orphaned, "process %d is left over: %q", pid, commandLine(pid))
	}
	r.world.End()
}

// verifyJournal reads the journal from end to end.
func (r *round) verifyJournal(ctx context.Context) {
	store, err := persistence.Open(persistence.Options{Directory: filepath.Join(r.world.StateDir(), "journal")})
	if err != nil {
		r.report(lost, "the journal does not open: %v", err)
		return
	}
	defer store.Close()
	report, err := store.Verify(ctx, nil)
	if err != nil {
		r.report(otherwise, "the journal cannot be verified: %v", err)
	}
	for _, p := range report.Problems {
		r.report(lost, "the journal: %s", p)
	}
}
