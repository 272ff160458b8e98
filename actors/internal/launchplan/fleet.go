package launchplan

import (
	"fmt"

	"betcode/actors/internal/claude"
	"betcode/messages"
)

// Variables of the fleet server's environment.
const (
	ticketVariable = "BETCODE_FLEET_TICKET"
	socketVariable = "BETCODE_SOCKET"
)

// fleetServer returns the configuration of the fleet server with a new ticket, nil for an agent that has none.
func (p *Planner) fleetServer(record messages.RunRecord) ([]byte, error) {
	if p.deps.Executable == "" || !record.Options.Fleet && !p.deps.Settings().GiveFleet {
		return nil, nil
	}
	ticket, err := p.deps.Ticket(record.Session, record.Run)
	if err != nil {
		return nil, fmt.Errorf("make ticket of the fleet server: %w", err)
	}
	return claude.ServerConfig(messages.FleetServer, p.deps.Executable, []string{"mcp"}, map[string]string{
		ticketVariable: ticket, socketVariable: p.deps.Socket,
	})
}
