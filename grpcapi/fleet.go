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

func fleetOut(v messages.FleetView) *pb.FleetState {
	out := &pb.FleetState{Stopped: v.Stop.Stopped(), StoppedBy: string(v.Stop.By), Reason: v.Stop.Reason}
	if out.Stopped {
		out.Since = timestamppb.New(v.Stop.Since)
	}
	return out
}
