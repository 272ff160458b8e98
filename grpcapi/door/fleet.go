package door

import "betcode/messages"

// FleetTicket is the metadata key of the ticket of a fleet server: the MCP server through which
// the agent of a session directs subagents. The agent has started it, so it may only view, and
// with its ticket act on descendants of its session. The ticket counts for one process.
const FleetTicket = "x-fleet-ticket"

// admitFleet makes a call that of the fleet server of a session. The rights of its process do
// not count: a caller with a valid ticket acts as that session, and one with another ticket is refused.
func (d *Interceptor) admitFleet(c *Call, p Peer, ticket string) error {
	if d.options.Fleet == nil || p.PID <= 0 {
		return messages.Errorf(opAdmit, messages.Denied, "this daemon cannot tell which process calls, so it has no fleet servers").
			WithHint("Agents direct subagents on Linux only.")
	}
	session, err := d.options.Fleet(ticket, p.PID)
	if err != nil {
		return err
	}
	c.Fleet, c.Rights = session, messages.MayFleet
	c.Client, c.Type = messages.ClientID("fleet-"+session), "fleet"
	return nil
}
