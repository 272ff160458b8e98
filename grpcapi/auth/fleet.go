package auth

import "betcode/messages"

// FleetTicket is the metadata key of the ticket of a fleet server: the MCP server through which the
// agent of a session starts subagents. An agent has started it, so it may only view, and, with its
// ticket, act on descendants of its session. A ticket is valid for one process.
const FleetTicket = "x-fleet-ticket"

// admitFleet admits a call of the fleet server of a session, regardless of the rights of its process. A
// caller with a valid ticket acts as that session; a caller with an invalid ticket is refused.
func (d *Interceptor) admitFleet(c *Call, p Peer, ticket string) error {
	if d.options.Fleet == nil || p.PID <= 0 {
		return messages.Errorf(opAdmit, messages.Denied, "this daemon cannot identify the calling process, so it has no fleet servers").
			WithHint("Agents start subagents on Linux only.")
	}
	session, err := d.options.Fleet(ticket, p.PID)
	if err != nil {
		return err
	}
	c.Fleet, c.Rights = session, messages.MayFleet
	c.Client, c.Type = messages.ClientID("fleet-"+session), "fleet"
	return nil
}
