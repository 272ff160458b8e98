//go:build linux

package bench

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	pb "betcode/proto/betcode/v1"
)

// fleet is a hundred agents that work, beside a thousand sessions that are idle: each has a client that watches it, and no agent.
var fleet = load{sessions: 100, clients: 1, work: work{lines: 600, rate: 30}}

const (
	idleSessions  = 1000
	perConnection = 100 // streams of idle sessions
)

// fleetResult is the summary that `make fleet` prints. A line of an agent that no client gets counts as lost.
type fleetResult struct {
	agents, steps      int
	p99, anon          float64 // ms, MB
	lost, startedTwice int
}

func (f fleetResult) String() string {
	return fmt.Sprintf("fleet: agents=%d steps=%d p99_ms=%s anon_mb=%s lost=%d started_twice=%d", f.agents, f.steps, round(f.p99), round(f.anon), f.lost, f.startedTwice)
}

// fleetLine is the last line of a run that measures the fleet; empty without.
var fleetLine string

// BenchmarkFleet measures the delay of the lines of many agents beside many idle sessions, the memory of the daemon, and the cost
// of the steps of a plan.
func BenchmarkFleet(b *testing.B) {
	for b.Loop() {
		floor := quietFloor(b)
		l := fleet.shortened()
		r := newRig(b, binaries.betcode, l)
		alone := r.usage().anon
		r.addIdle()
		withIdle := r.usage().anon
		before := r.runs()
		var o outcome
		peak := r.peak(func() { o = r.run() })
		result := fleetResult{agents: l.sessions, p99: millis(quantile(o.delays, 0.99)), anon: megabytes(peak)}
		result.lost = l.sessions*l.lines - len(o.delays)
		result.startedTwice = int(r.runs() - before) // all agents were warm
		plan := playPlan(b)
		result.steps, result.startedTwice = plan.steps, result.startedTwice+plan.startedTwice
		fleetLine = result.String()
		if result.lost != 0 || result.startedTwice != 0 {
			b.Errorf("%s", fleetLine)
		}
		figures := o.paced()
		figures[unitPeak], figures[unitLagging], figures[unitOfFloor] = result.anon, float64(o.lagging), figures[unitP50]/floor
		figures[unitEach] = float64(withIdle-alone) / idleSessions / 1024
		figures[unitStep] = millis(int64(plan.each))
		report(b, figures)
	}
}

// addIdle begins idle sessions, with a client each.
func (r *rig) addIdle() {
	r.Helper()
	for i := range idleSessions / perConnection {
		conn := r.dial()
		for range perConnection {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			r.Cleanup(cancel)
			_, err := converse(ctx, conn, 1000+i, &pb.StartConversation{SessionId: uuid.NewString(), WorkingDirectory: r.world.Project})
			if err != nil {
				r.Fatal(err)
			}
		}
	}
}

// runs is how many agents the daemon has started for the sessions that work.
func (r *rig) runs() (all uint64) {
	r.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	for _, s := range r.streams[:r.load.sessions] {
		shown, err := r.daemon.Admin().ShowSession(ctx, &pb.ShowSessionRequest{SessionId: s.session})
		if err != nil {
			r.Fatal(err)
		}
		all += shown.GetRun().GetRun()
	}
	return all
}
