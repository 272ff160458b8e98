package e2e

import (
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
)

// TestMachine: a machine keeps its id across daemons, and reports its hardware.
func TestMachine(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	look := func() *pb.Machine {
		list, err := pb.NewMachineServiceClient(s.daemon.Conn()).ListMachines(t.Context(), &pb.ListMachinesRequest{})
		if err != nil || len(list.GetMachines()) != 1 {
			t.Fatalf("%v %v", list, err)
		}
		return list.GetMachines()[0]
	}
	before := look()
	r := before.GetResources()
	if r.GetOs() != "linux" || r.GetCpuCores() == 0 || r.GetMemoryBytes() == 0 || r.GetDiskFreeBytes() == 0 || before.GetHostname() == "" {
		t.Errorf("%v", before)
	}
	s.killDaemon()
	if after := look(); after.GetId() != before.GetId() || len(after.GetId()) != 36 {
		t.Errorf("%q is %q now", before.GetId(), after.GetId())
	}
	if said, code := s.command(binaries.betcode, []string{"machine"}); code != 0 || !strings.HasPrefix(said, before.GetId()+"\t") {
		t.Errorf("exit %d: %s", code, said)
	}
	if said, code := s.command(binaries.betcode, []string{"machine", "elsewhere"}); code != 6 {
		t.Errorf("exit %d: %s", code, said)
	}
}
