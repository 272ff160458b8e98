package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// The work of a proxied session in a round: so many turns, and each of these many a person has asked for.
const (
	proxiedTurns  = 400
	proxiedPrompt = 6
)

// The lines of an agent that no machine runs.
const (
	lineBegins = `{"model":"opus","session_id":"6f1c2a34-0000-4000-8000-000000000001","subtype":"init","type":"system"}`
	lineEnds   = `{"is_error":false,"result":"ok","session_id":"6f1c2a34-0000-4000-8000-000000000001","subtype":"success","type":"result"}`
)

// afar is a session whose agent runs under a proxy, which connects to one daemon after the other. People prompt it meanwhile.
type afar struct {
	round  *round
	id     string
	proxy  *kit.ScriptedProxy
	turns  int               // that the agent has spoken
	keys   []string          // of prompts that were accepted
	key    string            // of the prompt that is not acknowledged; empty = none
	inputs map[uint64]string // text by number
	taken  int               // events of the present connection that were handled
}

func newAfar(r *round) *afar {
	id := uuid.NewString()
	return &afar{round: r, id: id, proxy: kit.NewScriptedProxy(id), inputs: map[uint64]string{}}
}

// follow plays the proxy, its agent and the person until ctx ends.
func (a *afar) follow(ctx context.Context) {
	for ctx.Err() == nil {
		d := a.round.house.wait(ctx)
		if d == nil {
			return
		}
		call, err := a.proxy.Connect(ctx, d)
		if err != nil {
			pause(ctx, 10*time.Millisecond)
			continue
		}
		a.taken = 0
		for ctx.Err() == nil && !call.Ended() {
			a.work(ctx, d, call)
			pause(ctx, 10*time.Millisecond)
		}
		call.Close()
	}
}

// work takes inputs, speaks a turn and prompts.
func (a *afar) work(ctx context.Context, d *kit.Daemon, call *kit.ProxyCall) {
	a.takeInputs(call)
	if a.turns >= proxiedTurns {
		return
	}
	a.proxy.Output(lineBegins)
	a.proxy.Output(fmt.Sprintf(`{"message":{"content":[{"text":"<%d>","type":"text"}],"id":"m%[1]d","role":"assistant"},"type":"assistant"}`, a.turns))
	a.proxy.Output(lineEnds)
	if a.turns++; a.turns%proxiedPrompt == 0 || a.key != "" {
		a.prompt(ctx, d)
	}
}

// takeInputs passes the inputs of the connection to the agent. An input whose acknowledgement was lost is repeated.
func (a *afar) takeInputs(call *kit.ProxyCall) {
	events := call.Events()
	for _, e := range events[a.taken:] {
		in := e.GetInput()
		if in == nil {
			continue
		}
		if before, known := a.inputs[in.GetSeq()]; known && before != in.GetContent() {
			a.round.report(otherwise, "input %d of the proxied session is %q and was %q", in.GetSeq(), in.GetContent(), before)
		}
		a.inputs[in.GetSeq()] = in.GetContent()
		_ = call.TakeInput(in.GetSeq(), true) // an error ends the connection
		a.proxy.Output(fmt.Sprintf(`{"message":{"content":[{"text":%q,"type":"text"}]},"type":"user"}`, in.GetContent()))
	}
	a.taken = len(events)
}

// prompt sends a message until it is acknowledged, or the stream ends. It keeps its key until then.
func (a *afar) prompt(ctx context.Context, d *kit.Daemon) {
	if a.key == "" {
		a.key = uuid.NewString()
	}
	c, err := d.Converse(ctx, "person-afar", &pb.StartConversation{SessionId: a.id, WorkingDirectory: a.round.world.Project})
	if err != nil {
		return
	}
	defer c.Close()
	if c.Say(a.key, "prompt "+a.key) != nil {
		return
	}
	if _, _, err := c.Wait(0, func(e kit.Event) bool { return e.GetUserInput().GetIdempotencyKey() == a.key }); err == nil {
		a.keys, a.key = append(a.keys, a.key), ""
	}
}

// check compares the history with the output of the agent, and the inputs with the messages of the person. The daemon is running.
func (a *afar) check(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	d := a.round.house.now()
	call, err := a.proxy.Connect(ctx, d)
	if err != nil {
		a.round.report(otherwise, "no proxy can connect to a daemon at rest: %v", err)
		return
	}
	defer call.Close()
	a.taken = 0
	for ; ; pause(ctx, 5*time.Millisecond) {
		a.takeInputs(call)
		shown := a.round.show(ctx, a.id)
		if a.proxy.Pending() == 0 && shown != nil && len(shown.GetInputs()) == 0 {
			break
		}
		if a.proxy.Output(lineEnds); ctx.Err() != nil || call.Ended() {
			a.round.report(lost, "the proxied session has %d lines that are not acknowledged, and shows %v", a.proxy.Pending(), shown)
			return
		}
	}
	a.compare(ctx, d)
}

// compare reports lines and messages that are missing, or there twice.
func (a *afar) compare(ctx context.Context, d *kit.Daemon) {
	last := fmt.Sprintf("<%d>", a.turns-1)
	c, err := d.Converse(ctx, "reader-afar", &pb.StartConversation{SessionId: a.id, WorkingDirectory: a.round.world.Project})
	if err == nil && a.turns > 0 {
		_, _, err = c.Wait(0, func(e kit.Event) bool { return e.GetTextDelta().GetText() == last })
	}
	if err != nil {
		a.round.report(lost, "the last line of the proxied session: %v", err)
		return
	}
	defer c.Close()
	text := kit.Text(c.Events())
	for n := range a.turns {
		a.once(strings.Count(text, fmt.Sprintf("<%d>", n)), "line %d of the proxied session is there %d times", n)
	}
	for _, key := range a.keys {
		numbers := 0
		for _, content := range a.inputs {
			if content == "prompt "+key {
				numbers++
			}
		}
		a.once(numbers, "message %s has reached the proxied agent under %d numbers", key)
	}
	a.round.note("the proxied session has %d turns and %d messages", a.turns, len(a.keys))
}

// once reports an item that does not occur exactly once.
func (a *afar) once(found int, format string, what any) {
	switch {
	case found == 0:
		a.round.report(lost, format, what, found)
	case found > 1:
		a.round.report(duplicated, format, what, found)
	}
}
