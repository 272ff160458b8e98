package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/output"
	pb "betcode/proto/betcode/v1"
)

func (p *program) machineCommand() *cli.Command {
	return &cli.Command{
		Name: "machine", Usage: "list the machines to work on", ArgsUsage: "[ID]",
		Description: "Without a relay the list has one machine, that of the daemon. Its id is random and stored in the state directory.",
		Flags:       output.ListFlags(),
		Action:      p.Shows(0, 1, p.machines),
	}
}

func (p *program) machines(ctx context.Context, c *cli.Context, cl *client.Client) (output.View, error) {
	list := &pb.ListMachinesResponse{}
	if id := c.Args().First(); id != "" {
		m, err := cl.Machine.GetMachine(ctx, &pb.GetMachineRequest{MachineId: id})
		if err != nil {
			return output.View{}, err
		}
		list.Machines = []*pb.Machine{m}
	} else {
		var err error
		if list, err = cl.Machine.ListMachines(ctx, &pb.ListMachinesRequest{}); err != nil {
			return output.View{}, err
		}
	}
	return output.View{
		Schema: "betcode.machine.list/v2", Value: list, List: "machines", Columns: console.Columns("ID", "NAME", "STATE", "OS", "CORES", "MEMORY", "DISK FREE"),
		Row: func(i int, l output.Look) []string {
			m := list.GetMachines()[i]
			r := m.GetResources()
			return []string{
				m.GetId(), m.GetName(), strings.ToLower(m.GetStatus().String()), r.GetOs(), fmt.Sprint(r.GetCpuCores()), l.Bytes(r.GetMemoryBytes()), l.Bytes(r.GetDiskFreeBytes()),
			}
		},
	}, nil
}
