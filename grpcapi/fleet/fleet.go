package fleet

import (
	"context"

	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/grpcapi/auth"
	"betcode/grpcapi/handler"
	"betcode/grpcapi/translate"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// service is FleetService.
type service struct {
	pb.UnimplementedFleetServiceServer
	asker handler.Asker
}

// NewService returns FleetService.
func NewService(a handler.Asker) pb.FleetServiceServer { return service{asker: a} }

// maxFleetReason bounds the reason of a stop, in bytes.
const maxFleetReason = 1 << 10

// StopFleet implements FleetService.
func (s service) StopFleet(ctx context.Context, r *pb.StopFleetRequest) (*pb.StopFleetResponse, error) {
	var err error
	if len(r.GetReason()) > maxFleetReason {
		err = wire.Invalid("stop fleet", "Give a shorter reason.", "reason has %d bytes, more than %d", len(r.GetReason()), maxFleetReason)
	}
	m := messages.StopFleet{Client: auth.CallOf(ctx).Client, Reason: r.GetReason()}
	return handler.Unary(ctx, s.asker, m, err, func(v messages.FleetView) *pb.StopFleetResponse { return &pb.StopFleetResponse{Fleet: fleetOut(v)} })
}

// ResumeFleet implements FleetService.
func (s service) ResumeFleet(ctx context.Context, _ *pb.ResumeFleetRequest) (*pb.ResumeFleetResponse, error) {
	m := messages.ResumeFleet{Client: auth.CallOf(ctx).Client}
	return handler.Unary(ctx, s.asker, m, nil, func(v messages.FleetView) *pb.ResumeFleetResponse { return &pb.ResumeFleetResponse{Fleet: fleetOut(v)} })
}

// GetFleet implements FleetService.
func (s service) GetFleet(ctx context.Context, _ *pb.GetFleetRequest) (*pb.GetFleetResponse, error) {
	return handler.Unary(ctx, s.asker, messages.GetFleet{}, nil, func(v messages.FleetView) *pb.GetFleetResponse { return &pb.GetFleetResponse{Fleet: fleetOut(v)} })
}

// maxWaitersShown bounds the sessions that FleetState names.
const maxWaitersShown = 100

func fleetOut(v messages.FleetView) *pb.FleetState {
	q := v.Slots
	out := &pb.FleetState{
		Stopped: v.Stop.Stopped(), StoppedBy: string(v.Stop.By), Reason: v.Stop.Reason,
		SlotsUsed: translate.Saturate(uint64(max(q.Used, 0))), SlotsLimit: translate.Saturate(uint64(max(q.Limit, 0))), WaitingTotal: translate.Saturate(uint64(len(q.Waiting))),
		AvailableMemoryBytes: uint64(max(q.FreeMemory, 0)), NeededMemoryBytes: uint64(max(q.NeededMemory, 0)),
	}
	out.Day = translate.DayOut(v.Day)
	if out.Stopped {
		out.Since = timestamppb.New(v.Stop.Since)
	}
	for _, l := range q.Limits {
		out.Limits = append(out.Limits, &pb.AccountLimit{
			Account: l.Account, SessionId: string(l.Session), Kind: l.Kind,
			Since: translate.TimeOut(l.Since), Until: translate.TimeOut(l.Until), Resets: translate.TimeOut(l.Resets),
		})
	}
	out.RateLimitedUntil = translate.TimeOut(translate.LastLimit(q.Limits))
	for _, w := range q.Waiting[:min(len(q.Waiting), maxWaitersShown)] {
		out.Waiting = append(out.Waiting, &pb.SlotWaiter{SessionId: string(w.Session), Reason: string(w.Reason)})
	}
	return out
}
