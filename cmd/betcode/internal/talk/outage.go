package talk

import (
	"time"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
)

// Left tells a person who leaves that the session goes on, and which requests may be lost.
func Left(c *console.Console, conv *client.Conversation) {
	if n := conv.Unconfirmed(); n > 0 {
		c.Say("%s may not have reached the daemon.", console.Count(n, "request"))
	}
	if conv.Unused() {
		c.Say("Left. Nothing was said, so no session is kept.")
		return
	}
	c.Say("Left. The session goes on: betcode session attach %s", console.ShortID(conv.Session()))
}

// reportOutage reports the state of the connection: when it breaks, from time to time while it stays broken, and when it is
// back.
func reportOutage(c *console.Console, o *client.Outage) {
	switch {
	case o.Restored:
		c.Say("The daemon has another journal now; the history starts again.")
	case o.Err == nil:
		c.Say("Connected again.")
	case o.Attempt == 1:
		c.Say("The daemon does not answer; trying again. If it is gone: betcode daemon start")
	case o.Wait > 4*time.Second:
		c.Say("Still no answer; next attempt in %s.", o.Wait.Round(time.Second))
	}
}
