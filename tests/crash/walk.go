package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"betcode/messages/failpoint"
)

// step is one failpoint with one action, walked hit by hit.
type step struct {
	name, action string
	before       string // another failpoint to arm
}

// steps lists all steps: the daemon ends at every failpoint, and an actor panics at its own.
func steps() []step {
	var all []step
	for _, name := range failpoint.Names() {
		switch {
		case slices.Contains(failpoint.Dues(), name):
		case dueOf(name) == failpoint.RewriteDue: // any sealed file, when journal space is reclaimed
			all = append(all, step{name, "kill", fmt.Sprintf("%s=error@2,%s=error%%4,%s=error%%1,", failpoint.SealDue, failpoint.ReclaimDue, failpoint.RewriteDue)})
		case dueOf(name) != "":
			for _, due := range []int{2, 4, 9} { // the first time, there may be nothing to do
				all = append(all, step{name, "kill", fmt.Sprintf("%s=error@%d,", dueOf(name), due)})
			}
		default:
			all = append(all, step{name, "kill", ""})
		}
	}
	for _, name := range failpoint.Actors() {
		all = append(all, step{name, "panic", ""})
	}
	return all
}

// dueOf returns the failpoint that triggers the background work containing the failpoint name, empty if it is part of
// no such work.
func dueOf(name string) string {
	work, _, _ := strings.Cut(name, "/")
	if due := work + "/due"; slices.Contains(failpoint.Dues(), due) {
		return due
	}
	return ""
}

// afterwards is the next hit that is tried: each of the first ones, then ever
// fewer, since a place that is passed a thousand times is passed in much the
// same circumstances.
func afterwards(n int) int { return n + 1 + n/10 }

// walk plays each step at its first hit, its second and so on, until the world becomes quiescent before the hit. Each
// has a world of its own.
func walk(ctx context.Context, o options, b binaries, t *totals) error {
	var mu sync.Mutex
	var errs []error
	slots := make(chan struct{}, o.parallel)
	var walkers sync.WaitGroup
	todo, first := steps(), 1
	if o.only != "" {
		s, n, err := onlyStep(o.only)
		if err != nil {
			return err
		}
		todo, first = []step{s}, n
	}
	for _, s := range todo {
		walkers.Go(func() {
			hits := 0
			for n := first; ctx.Err() == nil && (o.only == "" || n == first); n = afterwards(n) {
				slots <- struct{}{}
				r, err := newRound(b, fakeCrew(b), walkSchedule(s, n))
				if err == nil {
					r.run(ctx)
				}
				<-slots
				mu.Lock()
				if err != nil {
					errs = append(errs, err)
				} else {
					t.add(r, o)
				}
				mu.Unlock()
				if err != nil || !r.reached(s) {
					break
				}
				hits++
			}
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintf(o.out, "crash: %s %s%s: %d worlds\n", s.action, s.before, s.name, hits)
			if hits == 0 {
				errs = append(errs, fmt.Errorf("failpoint %s was never reached", s.name))
			}
		})
	}
	walkers.Wait()
	return errors.Join(append(errs, ctx.Err())...)
}

// onlyStep reads a step and its hit, as in "run/step=panic@3".
func onlyStep(plan string) (step, int, error) {
	before, last := "", plan
	if i := strings.LastIndexByte(plan, ','); i >= 0 {
		before, last = plan[:i+1], plan[i+1:]
	}
	name, rest, _ := strings.Cut(last, "=")
	action, hit, _ := strings.Cut(rest, "@")
	n, err := strconv.Atoi(hit)
	if err != nil || !slices.Contains(failpoint.Names(), name) {
		return step{}, 0, fmt.Errorf("%q is no place at a hit", plan)
	}
	return step{name, action, before}, n, nil
}

// reached reports whether the failpoint of a step was carried out.
func (r *round) reached(s step) bool {
	for _, p := range r.points {
		if strings.HasPrefix(p, s.name+" ") || strings.Contains(p, s.name+"="+s.action) {
			return true
		}
	}
	return false
}

// walkSchedule is the schedule of each world of a walk. A daemon dies in the middle of a turn. The armed one adopts
// the agent, starts another and gets requests of every kind, until it dies or is quiescent. A third one
// finishes.
//
// The story contains what failpoints of large payloads and of archiving need: the log of the first daemon, which the
// armed one moves, an agent with output too large for a shared transaction, and one that ends by itself.
func walkSchedule(s step, n int) schedule {
	walked := schedule{seed: uint64(n), sessions: 2, phases: []phase{
		{
			inputs: []input{{session: 0, prompt: "stream:100:20:5ms\nrun:echo one #" + strings.Repeat(" long", 14<<10)}},
			words:  true, kill: kill{victims: []string{"daemon"}},
		},
		{
			inputs: []input{
				{session: 0, prompt: "run:echo one"},
				{session: 1, prompt: "ask"},
				{session: 1, prompt: "stream:10:10:2ms"},
				{session: 0, prompt: "hello", wait: 10 * time.Millisecond},
			},
			long: true,
			kill: kill{point: fmt.Sprintf("%s%s=%s@%d", s.before, s.name, s.action, n), victims: []string{"daemon"}},
		},
	}}
	switch {
	case strings.HasPrefix(s.name, "archive/"):
		walked.phases[1].inputs = []input{{session: 1, prompt: "exit:0"}}
	case strings.HasPrefix(s.name, "proxy/"):
		walked.proxied = true
	case s.name == failpoint.Staged:
		walked.phases[1].inputs = []input{{session: 1, prompt: "biglines:400KB"}, {session: 0, prompt: "run:echo one"}}
	}
	return walked
}
