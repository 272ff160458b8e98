package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"time"

	"betcode/persistence"
	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// judge compares what the clients saw with the replay, the replay with the output of the agents, and acknowledged messages with the input
// of the agents. Then it stops the daemon and looks for leftovers.
func (r *round) judge(ctx context.Context) {
	for i, id := range r.sessions {
		if len(r.writer(i).said) == 0 {
			continue
		}
		// More events may follow, such as an adopted agent: compare only what clients have seen by now.
		seen := [][]kit.Event{r.clients[2*i].events(), r.clients[2*i+1].events()}
		all, err := r.export(ctx, id)
		if err != nil {
			r.report(lost, "session %s is not exported: %v", id, err)
			continue
		}
		boundary := r.compareReplay(ctx, id, all)
		for j, c := range r.clients[2*i : 2*i+2] {
			r.compare(c, seen[j], all, boundary)
		}
		r.checkLives(id, all)
		r.compareText(id, all)
		r.compareInputs(r.writer(i), all)
	}
	if r.schedule.ruin {
		r.ruinLog(ctx)
		return
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

// export reads a whole history, including compacted events.
func (r *round) export(ctx context.Context, id string) ([]kit.Event, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	d := r.house.now()
	if d == nil {
		return nil, errors.New("no daemon serves")
	}
	stream, err := d.Admin().ExportSession(ctx, &pb.ExportSessionRequest{SessionId: id})
	if err != nil {
		return nil, err
	}
	var all []kit.Event
	for {
		var e kit.Event
		err := stream.RecvMsg(&e)
		if errors.Is(err, io.EOF) {
			return kit.Journaled(all, 1)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
}

// compareReplay checks that a new client gets all of a history, or all events above an announced boundary, and returns the number of events
// that are not replayed.
func (r *round) compareReplay(ctx context.Context, id string, all []kit.Event) int {
	stream, err := r.house.now().Resume(ctx, id, 0)
	if err == nil {
		defer stream.Close()
		err = stream.WaitEnd()
	}
	if err != nil {
		r.report(lost, "session %s is not replayed: %v", id, err)
		return 0
	}
	events, boundary := stream.Events(), 0
	if len(events) > 0 && events[0].GetSessionInfo().GetIsCompacted() {
		for i := 0; i < len(events) && boundary == 0; i++ {
			boundary = max(0, int(events[i].GetSequence())-1)
		}
	}
	replayed, err := kit.Journaled(events, uint64(boundary)+1)
	if left := len(all) - min(boundary, len(all)); err == nil { // more may have come since all was read
		err = kit.Same(all[len(all)-left:], replayed[:min(left, len(replayed))])
	}
	if err != nil {
		r.report(lost, "session %s is replayed above %d of %d: %v", id, boundary, len(all), err)
	}
	return boundary
}

// compare checks that the events of a client are stored unchanged, and that it missed none above the boundary.
func (r *round) compare(c *client, seen, all []kit.Event, boundary int) {
	if len(seen) > len(all) {
		r.report(lost, "%s; there are %d", c.where(), len(all))
		return
	}
	for i, e := range seen {
		if e.Raw == nil {
			if i >= boundary {
				r.report(lost, "%s; it missed %d, above the boundary %d", c.where(), i+1, boundary)
			}
			continue
		}
		if !bytes.Equal(e.Raw, all[i].Raw) {
			r.report(reordered, "%s: %d was %s and is %s", c.where(), i+1, kit.Line(e), kit.Line(all[i]))
		}
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
// conversation once; one that the daemon has reported as dropped may be missing there.
func (r *round) compareInputs(c *client, all []kit.Event) {
	accepted, err := r.agentKind.accepted(r, c, conversationOf(c.session, all))
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

// conversationOf returns the agent's id of a session's newest conversation. It begins another one when the first was killed
// before it was saved.
func conversationOf(session string, all []kit.Event) string {
	for i := len(all) - 1; i >= 0; i-- {
		run := all[i].GetRun()
		if id := run.GetAgentSessionId(); id != "" && (run.GetState() == pb.RunState_RUN_STATE_STARTED || run.GetState() == pb.RunState_RUN_STATE_ADOPTED) {
			return id
		}
	}
	return session
}

func (r *round) checkCount(m *message, what string, n int, mayMiss bool) {
	switch {
	case n > 1:
		r.report(duplicated, "message %s (%q) was %s %d times", m.key, m.text, what, n)
	case n == 0 && !mayMiss:
		r.report(lost, "message %s (%q) was never %s", m.key, m.text, what)
	}
}

// lookForOrphans waits for processes that are ending, and reports the others.
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
