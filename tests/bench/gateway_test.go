//go:build linux

package bench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"betcode/tests/kit"
)

// BenchmarkGateway measures the flood through the gateway of the agent socket beside the same flood over gRPC.
func BenchmarkGateway(b *testing.B) {
	for b.Loop() {
		l := flood.shortened()
		l.sessions /= 4 // a daemon, a gateway and the agents share the processors
		direct := newRig(b, binaries.betcode, l).run()
		through := newGatewayRig(b, l).run()
		deltas := float64(l.sessions * l.lines)
		report(b, map[string]float64{
			unitEvents:  deltas / through.took.Seconds(),
			unitOfGRPC:  direct.took.Seconds() / through.took.Seconds(),
			unitGateway: perEvent(through.gateway, int(deltas)),
			unitPeak:    megabytes(through.gateway.anon),
		})
	}
}

// gatewayRig is a daemon with warm agents, whose clients are behind the gateway of the agent socket.
type gatewayRig struct {
	*rig
	gateway *kit.Gateway
	lines   []*lineClient // one for each session
}

// newGatewayRig starts a daemon, a gateway, and a client for each session.
func newGatewayRig(tb testing.TB, l load) *gatewayRig {
	tb.Helper()
	w, err := kit.NewWorld(binaries.betcode, binaries.agent, envMaxAgents+"="+strconv.Itoa(l.sessions))
	if err != nil {
		tb.Fatal(err)
	}
	g := &gatewayRig{rig: &rig{TB: tb, load: l, world: w}}
	tb.Cleanup(g.end)
	worlds.Store(w, nil)
	if g.daemon, err = w.Start(context.Background()); err != nil {
		tb.Fatal(err)
	}
	if g.gateway, err = w.Gateway(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(g.gateway.Kill)
	for i := range l.sessions {
		conn, err := net.Dial("unix", g.gateway.Path)
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { conn.Close() })
		c := &lineClient{Conn: conn, in: bufio.NewReaderSize(conn, 64<<10), id: fmt.Sprint("s", i)}
		g.lines = append(g.lines, c)
		if err := c.send("start_session", `,"cwd":`+strconv.Quote(w.Project), work{lines: 1}); err != nil {
			tb.Fatal(err)
		}
	}
	g.turns(1)
	return g
}

// gatewayOutcome is the result of one turn of every session.
type gatewayOutcome struct {
	took    time.Duration // until the last client had everything
	gateway usage
}

// run has every agent do the load's work and waits until its client has it.
func (g *gatewayRig) run() gatewayOutcome {
	g.Helper()
	before, began := g.usageOf(g.gateway.PID()), time.Now()
	for _, c := range g.lines {
		if err := c.send("send_prompt", "", g.load.work); err != nil {
			g.Fatal(err)
		}
	}
	ended := g.turns(g.load.lines)
	return gatewayOutcome{took: ended.Sub(began), gateway: g.usageOf(g.gateway.PID()).since(before)}
}

// turns receives a turn of so many deltas on every connection, and returns when the last one ended.
func (g *gatewayRig) turns(deltas int) time.Time {
	g.Helper()
	ended, errs := make([]time.Time, len(g.lines)), make([]error, len(g.lines))
	var group sync.WaitGroup
	for i, c := range g.lines {
		group.Go(func() {
			var got int
			if got, errs[i] = c.turn(); errs[i] == nil && got != deltas {
				errs[i] = fmt.Errorf("%s: %d deltas of %d", c.id, got, deltas)
			}
			ended[i] = time.Now()
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			g.Fatal(err, g.gateway.Log())
		}
	}
	return slices.MaxFunc(ended, time.Time.Compare)
}

// lineClient is a client of the agent socket. It takes lines apart only as far as it counts them.
type lineClient struct {
	net.Conn
	in *bufio.Reader
	id string
}

// send has the agent begin with its work. more are further members of the line.
func (c *lineClient) send(kind, more string, w work) error {
	_, err := fmt.Fprintf(c, `{"type":%q,"sessionId":%q,"prompt":%q%s}`+"\n", kind, c.id, w.prompt(), more)
	return err
}

// turn reads to the end of the turn and returns how many pieces of text came.
func (c *lineClient) turn() (deltas int, err error) {
	for {
		line, err := c.in.ReadSlice('\n')
		for err == bufio.ErrBufferFull { //nolint:errorlint // it is never wrapped: a line with a whole text
			_, err = c.in.ReadSlice('\n')
		}
		switch {
		case err != nil:
			return deltas, fmt.Errorf("read line: %w", err)
		case bytes.Contains(line, []byte(`"type":"text_delta"`)):
			deltas++
		case bytes.Contains(line, []byte(`"type":"error"`)):
			return deltas, fmt.Errorf("the gateway says %s", line)
		case bytes.Contains(line, []byte(`"status":"idle"`)):
			return deltas, nil
		}
	}
}
