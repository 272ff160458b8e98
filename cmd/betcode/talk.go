package main

import (
	"fmt"
	"time"

	"betcode/cmd/betcode/internal/client"
)

// say tells a person something, on standard error.
func (p *program) say(format string, args ...any) {
	fmt.Fprintf(p.stderr, format+"\n", args...)
}

// left says what is left behind.
func (p *program) left(conv *client.Conversation) {
	if n := conv.Unsettled(); n > 0 {
		p.say("%d message(s) or answer(s) may not have reached the daemon.", n)
	}
	p.say("Left. The session goes on: betcode session attach %s", shortID(conv.Session()))
}

// tellOutage tells about the connection: when it breaks, now and then while it
// stays broken, and when it is back.
func (p *program) tellOutage(o *client.Outage) {
	switch {
	case o.Restored:
		p.say("The daemon has another journal now; the history begins anew.")
	case o.Err == nil:
		p.say("Connected again.")
	case o.Attempt == 1:
		p.say("The daemon does not answer; trying again. If it is gone: betcode daemon start")
	case o.Wait > 4*time.Second:
		p.say("Still no answer; next try in %s.", o.Wait.Round(time.Second))
	}
}
