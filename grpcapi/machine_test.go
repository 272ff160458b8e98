package grpcapi

import (
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

func TestMachines(t *testing.T) {
	view := messages.MachineView{ID: keyA, Hostname: "desk", Seen: time.Unix(7, 0), OS: "linux", Cores: 2, Memory: 3, DiskFree: 4}
	asker := &fakeAsker{answer: func(r messages.Request) (messages.Reply, error) {
		if _, ok := r.(messages.GetMachine); ok {
			return view, nil
		}
		return nil, nil
	}}
	conn, _ := serve(t, asker)
	client, ctx := pb.NewMachineServiceClient(conn), as(t, "c")
	list := must[*pb.ListMachinesResponse](t)(client.ListMachines(ctx, &pb.ListMachinesRequest{})).GetMachines()
	if len(list) != 1 {
		t.Fatalf("%v", list)
	}
	m := list[0]
	r := m.GetResources()
	if m.GetId() != keyA || m.GetName() != "desk" || m.GetHostname() != "desk" || m.GetStatus() != pb.MachineStatus_ONLINE ||
		m.GetLastSeen().GetSeconds() != 7 || !slices.Contains(m.GetCapabilities(), "MachineService") || !slices.IsSorted(m.GetCapabilities()) ||
		r.GetOs() != "linux" || r.GetCpuCores() != 2 || r.GetMemoryBytes() != 3 || r.GetDiskFreeBytes() != 4 {
		t.Errorf("%v", m)
	}
	if got := must[*pb.Machine](t)(client.GetMachine(ctx, &pb.GetMachineRequest{MachineId: keyA})); got.GetId() != keyA {
		t.Errorf("%v", got)
	}
	switched := must[*pb.SwitchMachineResponse](t)(client.SwitchMachine(ctx, &pb.SwitchMachineRequest{MachineId: keyA}))
	if switched.GetMachine().GetId() != keyA || switched.GetPreviousMachineId() != keyA {
		t.Errorf("%v", switched)
	}
	for id, want := range map[string]codes.Code{"": codes.InvalidArgument, "elsewhere": codes.NotFound} {
		for name, err := range map[string]error{
			"get":    second(client.GetMachine(ctx, &pb.GetMachineRequest{MachineId: id})),
			"switch": second(client.SwitchMachine(ctx, &pb.SwitchMachineRequest{MachineId: id})),
		} {
			if status.Code(err) != want {
				t.Errorf("%s %q: %v", name, id, err)
			}
		}
	}
}
