package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"betcode/tests/kit"
)

// Kinds of broken promises.
const (
	lost         = "lost"
	duplicated   = "duplicated"
	reordered    = "reordered"
	orphaned     = "orphans"
	startedTwice = "started_twice"
	otherwise    = "wrong" // anything else that must not be
)

// restTime bounds the time until a world is quiescent after the last kill, patience every other wait. Both waits
// end as soon as their condition holds. Both bounds are far longer than that takes, so that a slow machine causes no
// failure.
const (
	restTime = 5 * time.Minute
	patience = 3 * time.Minute
)

// problem is one broken promise.
type problem struct{ kind, text string }

// round is one world, from its first daemon to the verdict of the oracle.
type round struct {
	binaries  binaries
	agentKind agentKind
	schedule  schedule
	world     *kit.World
	house     *house
	trees     *trees    // nil = none
	plans     *plans    // nil = none
	watcher   *watcher  // nil = none
	afar      *afar     // nil = none
	gateways  *gateways // nil = none
	clients   []*client // two for each session, the writer first
	sessions  []string
	draining  atomic.Bool
	dismiss   func() // ends the clients, and waits for them

	started time.Time
	kills   int
	points  []string // failpoints that were carried out, errors apart
	daemons int      // started so far

	mu       sync.Mutex
	problems []problem
	history  []string // actions with their times
}

// report notes a problem.
func (r *round) report(kind, format string, args ...any) {
	r.note("PROBLEM %s: %s", kind, fmt.Sprintf(format, args...))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.problems = append(r.problems, problem{kind, fmt.Sprintf(format, args...)})
}

// note records an action and its time.
func (r *round) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.history = append(r.history, fmt.Sprintf("%7.3f %s", time.Since(r.started).Seconds(), fmt.Sprintf(format, args...)))
}

// newRound creates the world of a schedule and its clients; it starts none of them.
func newRound(b binaries, agents agentKind, s schedule) (*round, error) {
	if s.gateways { // a page that is killed with its daemon does not hold others up for long
		agents.environ = append(slices.Clip(agents.environ), "BETCODE_LOCK_GRACE=1s")
	}
	if s.quota { // of the agentKind, because each start of a daemon takes the environment from there
		agents.environ = append(slices.Clip(agents.environ), "BETCODE_SPOOL_QUOTA=16KiB")
	}
	w, err := kit.NewWorld(b.plain, agents.path, agents.environ...)
	if err != nil {
		return nil, err
	}
	r := &round{binaries: b, agentKind: agents, schedule: s, world: w, house: newHouse(), started: time.Now()}
	if s.trees {
		if r.trees, err = newTrees(r); err != nil {
			return nil, err
		}
	}
	if s.plans {
		if r.plans, err = newPlans(r); err != nil {
			return nil, err
		}
	}
	if s.socket {
		r.watcher = newWatcher(r, "")
	}
	if s.proxied {
		r.afar = newAfar(r)
	}
	for range s.sessions {
		id := uuid.NewString()
		r.sessions = append(r.sessions, id)
		for _, name := range []string{"a", "b"} {
			r.clients = append(r.clients, &client{round: r, session: id, name: name, writer: name == "a", acked: map[string]bool{}, cuts: map[*kit.Daemon]int{}})
		}
	}
	if r.watcher != nil {
		r.watcher.session = r.sessions[0]
	}
	if s.gateways {
		r.gateways = newGateways(r)
		r.watcher.front = r.gateways.fronts["socket"]
	}
	return r, nil
}

// writer returns the client that writes to a session.
func (r *round) writer(session int) *client { return r.clients[2*session] }

// run plays the schedule and checks the result.
func (r *round) run(ctx context.Context) {
	attached, cancel := context.WithCancel(ctx)
	var followers sync.WaitGroup
	r.dismiss = func() {
		cancel()
		followers.Wait()
	}
	defer func() {
		r.dismiss()
		r.gateways.close()
		if d := r.house.now(); d != nil {
			d.Kill()
		}
		r.world.End() // after a failure its agents live on, as they should
	}()
	if !r.start(ctx, r.schedule.phases[0].kill.point) {
		return
	}
	for _, c := range r.clients {
		followers.Go(func() { c.follow(attached) })
	}
	if r.gateways != nil {
		if err := r.gateways.open(ctx); err != nil {
			r.report(otherwise, "the gateways do not begin: %v", err)
			return
		}
	}
	besides, settled := context.WithCancel(ctx)
	var others sync.WaitGroup
	if r.trees != nil {
		others.Go(func() { r.trees.tend(besides) })
	}
	if r.plans != nil {
		others.Go(func() { r.plans.begin(besides) })
	}
	if r.watcher != nil {
		others.Go(func() { r.watcher.follow(besides) })
	}
	if r.afar != nil {
		others.Go(func() { r.afar.follow(besides) })
	}
	if r.schedule.fleet {
		others.Go(func() { r.switchFleet(besides) })
	}
	done := func() {
		settled()
		others.Wait()
	}
	defer done()
	for i, p := range r.schedule.phases {
		next := ""
		if i+1 < len(r.schedule.phases) {
			next = r.schedule.phases[i+1].kill.point
		}
		if !r.play(ctx, p, next) {
			return
		}
	}
	done()
	if r.trees != nil {
		r.trees.check(ctx)
		r.trees.last(ctx)
	}
	if r.plans != nil {
		r.plans.check(ctx)
	}
	r.finish(ctx)
}

// finish waits until the world is quiescent, stops it and runs the oracle.
func (r *round) finish(ctx context.Context) {
	r.draining.Store(true)
	if !r.rest(ctx) {
		return
	}
	if r.afar != nil {
		r.afar.check(ctx)
	}
	if r.gateways != nil {
		r.gateways.await()
	}
	if r.watcher != nil {
		r.watcher.check(ctx)
		r.kills += r.watcher.kills
	}
	if r.gateways != nil {
		r.gateways.check(ctx)
	}
	if r.schedule.stop != nil && !r.stopOne(ctx, *r.schedule.stop) {
		return
	}
	r.judge(ctx)
}

// save writes the files that explain a failure.
func (r *round) save() {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := r.schedule.String() + strings.Join(r.history, "\n") + "\n"
	for _, c := range r.clients {
		text += c.where() + "\n" + kit.Describe(c.events()) + "\n"
	}
	err := os.WriteFile(filepath.Join(r.world.Root, "round.txt"), []byte(text), 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, errors.Join(errors.New("the round is not kept"), err))
	}
}

// count returns how many problems of a kind there are.
func (r *round) count(kind string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(slices.DeleteFunc(slices.Clone(r.problems), func(p problem) bool { return p.kind != kind }))
}
