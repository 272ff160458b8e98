package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

func (p *program) machineCommand() *cli.Command {
	return &cli.Command{
		Name: "machine", Usage: "list the machines to work on", ArgsUsage: "[ID]",
		Description: "Without a relay the list has one machine, that of the daemon. Its id is random and stored in the state directory.",
		Flags:       []cli.Flag{base.JSONFlag()},
		Action:      p.WithClient(0, 1, p.machines),
	}
}

func (p *program) machines(ctx context.Context, c *cli.Context, cl *client.Client) error {
	list := &pb.ListMachinesResponse{}
	if id := c.Args().First(); id != "" {
		m, err := cl.Machine.GetMachine(ctx, &pb.GetMachineRequest{MachineId: id})
		if err != nil {
			return err
		}
		list.Machines = []*pb.Machine{m}
	} else {
		var err error
		if list, err = cl.Machine.ListMachines(ctx, &pb.ListMachinesRequest{}); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		return console.WriteJSON(p.Stdout, "betcode.machine.list/v1", list)
	}
	t := p.Table("ID", "NAME", "STATUS", "OS", "CORES", "MEMORY", "DISK FREE")
	for _, m := range list.GetMachines() {
		r := m.GetResources()
		t.Add(m.GetId(), m.GetName(), strings.ToLower(m.GetStatus().String()), r.GetOs(), fmt.Sprint(r.GetCpuCores()),
			p.Bytes(r.GetMemoryBytes()), p.Bytes(r.GetDiskFreeBytes()))
	}
	return t.Write(p.Stdout)
}
