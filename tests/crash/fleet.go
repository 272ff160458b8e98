package main

import (
	"context"
	"math/rand/v2"
	"time"

	pb "betcode/proto/betcode/v1"
)

// switchFleet stops and resumes the fleet from time to time, until ctx ends. A stop that was acknowledged holds in every later
// daemon. In the end the fleet is resumed.
func (r *round) switchFleet(ctx context.Context) {
	dice := rand.New(rand.NewPCG(r.schedule.seed, 13))
	call := func(ctx context.Context, do func(context.Context, pb.FleetServiceClient) error) bool {
		d := r.house.wait(ctx)
		if d == nil {
			return false
		}
		ctx, cancel := context.WithTimeout(ctx, callTime)
		defer cancel()
		return do(ctx, pb.NewFleetServiceClient(d.Conn())) == nil
	}
	for ctx.Err() == nil {
		pause(ctx, time.Duration(100+dice.IntN(400))*time.Millisecond)
		stopped := call(ctx, func(ctx context.Context, api pb.FleetServiceClient) error {
			_, err := api.StopFleet(ctx, &pb.StopFleetRequest{Reason: "crash test"})
			r.note("fleet stop: %v", err)
			return err
		})
		pause(ctx, time.Duration(dice.IntN(300))*time.Millisecond)
		call(ctx, func(ctx context.Context, api pb.FleetServiceClient) error {
			now, err := api.GetFleet(ctx, &pb.GetFleetRequest{})
			if err == nil && stopped && !now.GetFleet().GetStopped() {
				r.report(lost, "the stop of the fleet")
			}
			return err
		})
		r.resumeFleet(context.WithoutCancel(ctx))
	}
}

// resumeFleet resumes the fleet through the daemon that serves.
func (r *round) resumeFleet(ctx context.Context) {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		d := r.house.now()
		if d == nil || d.Ended() {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, callTime)
		_, err := pb.NewFleetServiceClient(d.Conn()).ResumeFleet(ctx, &pb.ResumeFleetRequest{})
		cancel()
		if err == nil {
			r.note("fleet resumed")
			return
		}
	}
	r.report(otherwise, "the fleet is not resumed within %s", patience)
}

// pause waits until a time is over or ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
