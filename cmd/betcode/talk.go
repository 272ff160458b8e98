package main

import (
	"time"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
)

// left says what is left behind.
func (p *program) left(conv *client.Conversation) {
	if n := conv.Unsettled(); n > 0 {
		p.Say("%d message(s) or answer(s) may not have reached the daemon.", n)
	}
	p.Say("Left. The session goes on: betcode session attach %s", console.ShortID(conv.Session()))
}

// tellOutage tells about the connection: when it breaks, now and then while it
// stays broken, and when it is back.
func (p *program) tellOutage(o *client.Outage) {
	switch {
	case o.Restored:
		p.Say("The daemon has another journal now; the history begins anew.")
	case o.Err == nil:
		p.Say("Connected again.")
	case o.Attempt == 1:
		p.Say("The daemon does not answer; trying again. If it is gone: betcode daemon start")
	case o.Wait > 4*time.Second:
		p.Say("Still no answer; next try in %s.", o.Wait.Round(time.Second))
	}
}
