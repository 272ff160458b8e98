package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	pb "betcode/proto/betcode/v1"
)

func (p *program) machineCommand() *cli.Command {
	return &cli.Command{
		Name: "machine", Usage: "list the machines to work on", ArgsUsage: "[ID]",
		Description: "Without a relay that is the daemon's own. Its id is random and kept in the state directory.",
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "as JSON"}},
		Action:      p.withClient(0, 1, p.machines),
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
		return writeJSON(p.stdout, "betcode.machine.list/v1", list)
	}
	t := p.table("ID", "NAME", "STATUS", "OS", "CORES", "MEMORY", "DISK FREE")
	for _, m := range list.GetMachines() {
		r := m.GetResources()
		t.add(m.GetId(), m.GetName(), strings.ToLower(m.GetStatus().String()), r.GetOs(), fmt.Sprint(r.GetCpuCores()),
			p.bytes(r.GetMemoryBytes()), p.bytes(r.GetDiskFreeBytes()))
	}
	return t.write(p.stdout)
}

// bytes is a size: rounded for a person, exact for a program.
func (p *program) bytes(n uint64) string {
	if p.terminal.out {
		return size(n)
	}
	return fmt.Sprint(n)
}
