package grpcapi

import (
	"context"

	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/grpcapi/door"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// fleetService is FleetService.
type fleetService struct {
	pb.UnimplementedFleetServiceServer
	asker Asker
}

// maxFleetReason bounds the reason of a stop, in bytes.
const maxFleetReason = 1 << 10

// StopFleet implements FleetService.
func (s fleetService) StopFleet(ctx context.Context, r *pb.StopFleetRequest) (*pb.StopFleetResponse, error) {
	var err error
	if len(r.GetReason()) > maxFleetReason {
		err = wire.Invalid("stop fleet", "Give a shorter reason.", "reason has %d bytes, more than %d", len(r.GetReason()), maxFleetReason)
	}
	m := messages.StopFleet{Client: door.CallOf(ctx).Client, Reason: r.GetReason()}
	return unary(ctx, s.asker, m, err, func(v messages.FleetView) *pb.StopFleetResponse { return &pb.StopFleetResponse{Fleet: fleetOut(v)} })
}

// ResumeFleet implements FleetService.
func (s fleetService) ResumeFleet(ctx context.Context, _ *pb.ResumeFleetRequest) (*pb.ResumeFleetResponse, error) {
	m := messages.ResumeFleet{Client: door.CallOf(ctx).Client}
	return unary(ctx, s.asker, m, nil, func(v messages.FleetView) *pb.ResumeFleetResponse { return &pb.ResumeFleetResponse{Fleet: fleetOut(v)} })
}

// GetFleet implements FleetService.
func (s fleetService) GetFleet(ctx context.Context, _ *pb.GetFleetRequest) (*pb.GetFleetResponse, error) {
	return unary(ctx, s.asker, messages.GetFleet{}, nil, func(v messages.FleetView) *pb.GetFleetResponse { return &pb.GetFleetResponse{Fleet: fleetOut(v)} })
}

// maxWaitersShown bounds the sessions that FleetState names.
const maxWaitersShown = 100

func fleetOut(v messages.FleetView) *pb.FleetState {
	q := v.Slots
	out := &pb.FleetState{
		Stopped: v.Stop.Stopped(), StoppedBy: string(v.Stop.By), Reason: v.Stop.Reason,
		SlotsUsed: saturate(uint64(max(q.Used, 0))), SlotsLimit: saturate(uint64(max(q.Limit, 0))), WaitingTotal: saturate(uint64(len(q.Waiting))),
		AvailableMemoryBytes: uint64(max(q.FreeMemory, 0)), NeededMemoryBytes: uint64(max(q.NeededMemory, 0)),
	}
	if out.Stopped {
		out.Since = timestamppb.New(v.Stop.Since)
	}
	for _, l := range q.Limits {
		out.Limits = append(out.Limits, &pb.AccountLimit{
			Account: l.Account, SessionId: string(l.Session), Kind: l.Kind,
			Since: timeOut(l.Since), Until: timeOut(l.Until), Resets: timeOut(l.Resets),
		})
	}
	out.RateLimitedUntil = timeOut(lastLimit(q.Limits))
	for _, w := range q.Waiting[:min(len(q.Waiting), maxWaitersShown)] {
		out.Waiting = append(out.Waiting, &pb.SlotWaiter{SessionId: string(w.Session), Reason: string(w.Reason)})
	}
	return out
}
