package grpcapi

import (
	"context"
	"slices"
	"strings"

	"betcode/grpcapi/handler"
	"betcode/grpcapi/repository"
	"betcode/grpcapi/translate"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// machineService is MachineService of a daemon without a relay. Its own machine is the only one,
// and every caller is connected to it.
type machineService struct {
	pb.UnimplementedMachineServiceServer
	server *Server
}

// ListMachines implements MachineService.
func (s machineService) ListMachines(ctx context.Context, _ *pb.ListMachinesRequest) (*pb.ListMachinesResponse, error) {
	m, err := s.local(ctx)
	if err != nil {
		return nil, err
	}
	return &pb.ListMachinesResponse{Machines: []*pb.Machine{m}, Total: 1}, nil
}

// GetMachine implements MachineService.
func (s machineService) GetMachine(ctx context.Context, r *pb.GetMachineRequest) (*pb.Machine, error) {
	return s.find(ctx, "get machine", r.GetMachineId())
}

// SwitchMachine implements MachineService.
func (s machineService) SwitchMachine(ctx context.Context, r *pb.SwitchMachineRequest) (*pb.SwitchMachineResponse, error) {
	m, err := s.find(ctx, "switch machine", r.GetMachineId())
	if err != nil {
		return nil, err
	}
	return &pb.SwitchMachineResponse{Machine: m, PreviousMachineId: m.GetId()}, nil
}

// local returns the machine of this daemon.
func (s machineService) local(ctx context.Context) (*pb.Machine, error) {
	view, err := handler.Ask[messages.MachineView](ctx, s.server.asker, messages.GetMachine{})
	if err != nil {
		return nil, err
	}
	return machineOut(view, s.server.services()), nil
}

// find returns the machine with an id, which must be that of this daemon.
func (s machineService) find(ctx context.Context, op, id string) (*pb.Machine, error) {
	if id == "" {
		return nil, wire.Invalid(op, "Give machine_id, as 'betcode machine' shows it.", "machine_id is empty")
	}
	m, err := s.local(ctx)
	if err != nil {
		return nil, err
	}
	if m.GetId() != id {
		return nil, messages.Errorf(op, messages.NotFound, "no machine has the id %q", wire.Clip(id)).
			With("machine_id", wire.Clip(id)).WithHint("This daemon knows its own machine only; 'betcode machine' shows it.")
	}
	return m, nil
}

// services returns the names of the services of betcode.v1, without the package, sorted.
func (s *Server) services() []string {
	var names []string
	for service := range s.grpc.GetServiceInfo() {
		if name, ours := strings.CutPrefix(service, "betcode.v1."); ours {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func machineOut(v messages.MachineView, services []string) *pb.Machine {
	return &pb.Machine{
		Id: v.ID, Name: v.Hostname, Hostname: v.Hostname, Status: pb.MachineStatus_ONLINE,
		Capabilities: services, LastSeen: translate.TimeOut(v.Seen), Worktrees: repository.WorktreesOut(v.Worktrees),
		Resources: &pb.MachineResources{
			Os: v.OS, CpuCores: translate.Saturate(uint64(max(v.Cores, 0))), MemoryBytes: v.Memory, DiskFreeBytes: v.DiskFree,
		},
	}
}
