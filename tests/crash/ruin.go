package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"betcode/persistence"
	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// ruinLog is the last fault of some rounds: while no daemon runs, several bits are flipped
// in each of several groups of the journal's logs, so that they cannot be corrected. The
// next daemon must start, report which groups it lost, and show their sessions as damaged.
// It must keep all other sessions, and what can be read of the damaged ones.
func (r *round) ruinLog(ctx context.Context) {
	want, ok := r.fillLogs(ctx)
	if !ok {
		return
	}
	r.dismiss()
	r.kill(ctx, "daemon", 0)
	groups, ids, err := r.loggedGroups()
	if err == nil && len(groups) < 2 {
		err = fmt.Errorf("the logs hold %d groups", len(groups))
	}
	if err != nil {
		r.report(otherwise, "the groups of the logs cannot be read: %v", err)
		return
	}
	dice := rand.New(rand.NewPCG(r.schedule.seed, 6))
	// Without a group behind it the newest would count as one that a crash tore.
	groups = groups[:len(groups)-1]
	dice.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	groups = groups[:min(len(groups), 1+dice.IntN(4))]
	damaged := map[string]bool{}
	for _, g := range groups {
		if err := g.flip(dice); err != nil {
			r.report(otherwise, "bits cannot be flipped: %v", err)
			return
		}
		for _, number := range g.sessions {
			damaged[ids[number]] = true
		}
		r.note("flip bits of the rows of group %d, of sessions %v", g.number, g.sessions)
	}
	if !r.start(ctx, "") {
		return
	}
	r.checkRuin(ctx, groups, damaged, want)
	r.speakAgain(ctx, damaged)
	d := r.house.now()
	r.house.set(nil)
	if _, err := d.Stop(); err != nil {
		r.report(otherwise, "%v", err)
	}
	r.ended(d)
	r.lookForOrphans()
	r.verifyRuined(ctx, ids, damaged)
}

// fillLogs has every session that may write commit to the logs of a daemon that moves
// nothing out of them, and returns the histories after that.
func (r *round) fillLogs(ctx context.Context) (want map[string][]kit.Event, ok bool) {
	r.schedule.dues = 0
	r.kill(ctx, "daemon", 0)
	if !r.start(ctx, "") {
		return nil, false
	}
	for i := range r.sessions {
		if last := i == len(r.sessions)-1; last && r.schedule.stop != nil {
			continue // it stays stopped
		}
		r.writer(i).say("echo:before the damage")
		r.writer(i).say("run:echo before-the-damage")
	}
	if !r.rest(ctx) {
		return nil, false
	}
	want = map[string][]kit.Event{}
	for i, id := range r.sessions {
		if len(r.writer(i).said) == 0 {
			continue
		}
		all, err := r.export(ctx, id)
		if err != nil {
			r.report(lost, "session %s is not exported: %v", id, err)
			return nil, false
		}
		want[id] = all
	}
	return want, true
}

// checkRuin compares the report of the daemon with the damaged groups.
func (r *round) checkRuin(ctx context.Context, groups []loggedGroup, damaged map[string]bool, want map[string][]kit.Event) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	d := r.house.now()
	for _, g := range groups { // the daemon has written it before it serves; its log is read through a pipe
		told := fmt.Sprintf("the rows of group %d do not match their checksum", g.number)
		r.await(fmt.Sprintf("the daemon to tell that group %d is lost", g.number), func() bool { return strings.Contains(d.Log(), told) })
	}
	list, err := d.Agents().ListSessions(ctx, &pb.ListSessionsRequest{})
	if err != nil {
		r.report(lost, "sessions cannot be listed: %v", err)
		return
	}
	shown := map[string]string{}
	for _, s := range list.GetSessions() {
		shown[s.GetId()] = s.GetStatus()
	}
	for id, before := range want {
		if isDamaged := shown[id] == "damaged"; isDamaged != damaged[id] {
			r.report(lost, "session %s is shown as %q; damaged: %t", id, shown[id], damaged[id])
			continue
		}
		if !damaged[id] {
			r.sameHistory(ctx, id, before)
			continue
		}
		after, err := r.exported(ctx, id)
		if err != nil {
			r.report(lost, "what is left of session %s is not exported: %v", id, err)
			continue
		}
		for _, e := range after {
			if n := e.GetSequence(); n > uint64(len(before)) || n > 0 && !bytes.Equal(e.Raw, before[n-1].Raw) {
				r.report(reordered, "event %d of damaged session %s is another one: %s", n, id, kit.Line(e))
			}
		}
		r.note("session %s is damaged; %d of %d events are left", id, len(after), len(before))
	}
}

// sameHistory checks that a session has its history. It may have more by now.
func (r *round) sameHistory(ctx context.Context, id string, before []kit.Event) {
	after, err := r.export(ctx, id)
	if err == nil && len(after) < len(before) {
		err = fmt.Errorf("%d events of %d", len(after), len(before))
	}
	if err == nil {
		err = kit.Same(before, after[:len(before)])
	}
	if err != nil {
		r.report(lost, "session %s was not damaged: %v", id, err)
	}
}

// exported reads what can be read of a session, in any order.
func (r *round) exported(ctx context.Context, id string) (all []kit.Event, err error) {
	stream, err := r.house.now().Admin().ExportSession(ctx, &pb.ExportSessionRequest{SessionId: id})
	for err == nil {
		var e kit.Event
		if err = stream.RecvMsg(&e); err == nil {
			all = append(all, e)
		}
	}
	if err.Error() == "EOF" {
		err = nil
	}
	return all, err
}

// speakAgain checks that the sessions that are not damaged take messages.
func (r *round) speakAgain(ctx context.Context, damaged map[string]bool) {
	ctx, cancel := context.WithCancel(ctx)
	var followers sync.WaitGroup
	defer followers.Wait()
	defer cancel()
	for i, id := range r.sessions {
		if damaged[id] || len(r.writer(i).said) == 0 || r.schedule.stop != nil && i == len(r.sessions)-1 {
			continue
		}
		c := r.writer(i)
		followers.Go(func() { c.follow(ctx) })
		c.say("echo:after the damage")
		r.await("the acknowledgement of a session that is not damaged", c.saidAll)
	}
}

// verifyRuined opens the journal and checks that nothing but the cursors of damaged
// sessions is a problem.
func (r *round) verifyRuined(ctx context.Context, ids map[uint64]string, damaged map[string]bool) {
	store, err := persistence.Open(persistence.Options{Directory: filepath.Join(r.world.StateDir(), "journal")})
	if err != nil {
		r.report(lost, "the journal does not open after the damage: %v", err)
		return
	}
	defer store.Close()
	report, err := store.Verify(ctx, nil)
	if err != nil {
		r.report(otherwise, "the journal cannot be verified: %v", err)
	}
	for _, p := range report.Problems {
		text := p.String()
		known := slices.ContainsFunc(slices.Collect(maps.Keys(ids)), func(number uint64) bool {
			return damaged[ids[number]] && (strings.Contains(text, fmt.Sprintf("/%d/", number)) || strings.Contains(text, fmt.Sprintf("%q", ids[number])))
		})
		if !known {
			r.report(lost, "the journal: %s", text)
		}
	}
}
