//go:build linux

package bench

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"

	pb "betcode/proto/betcode/v1"
)

// Environment variables of a guest, beside envSocket and envDir.
const (
	envSession = "BETCODE_BENCH_SESSION"
	envClient  = "BETCODE_BENCH_CLIENT"
)

// guest is a client in a process of its own. It gets orders for its agent and reports
// the events that arrived.
type guest struct {
	in   io.WriteCloser
	told *json.Decoder
}

// order is a request to a guest.
type order struct {
	Lines, Rate int
	Own         string
}

// account is a guest's report about a turn: a tally without the delays.
type account struct {
	Events, Batches, Lagging int
	Bytes                    int64
	Ended                    time.Time
}

// invite attaches a client to a session from a process of its own, which ends with
// the rig.
func (r *rig) invite(client int, session string) {
	r.Helper()
	c := exec.Command(binaries.linked)
	c.Env = append(os.Environ(), envRole+"="+roleGuest, envSocket+"="+r.world.Socket(), envDir+"="+r.world.Project,
		envSession+"="+session, envClient+"="+strconv.Itoa(client))
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		r.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() {
		in.Close()
		_ = c.Wait() // its output has been read
	})
	r.streams = append(r.streams, &stream{session: session, guest: &guest{in: in, told: json.NewDecoder(out)}})
	if _, err := r.streams[len(r.streams)-1].guest.end(); err != nil { // it is attached
		r.Fatal(err)
	}
}

// begin sends an order to the guest.
func (g *guest) begin(w work) error {
	return json.NewEncoder(g.in).Encode(order{w.lines, w.rate, w.own})
}

// end waits for the end of the guest and returns its tally.
func (g *guest) end() (tally, error) {
	var a account
	err := g.told.Decode(&a)
	return tally{events: a.Events, batches: a.Batches, lagging: a.Lagging, bytes: a.Bytes, ended: a.Ended}, err
}

// guestClient is the guest until its connection is closed.
func guestClient() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	client, err := strconv.Atoi(os.Getenv(envClient))
	if err != nil {
		return err
	}
	conn, err := dial(os.Getenv(envSocket))
	if err != nil {
		return err
	}
	defer conn.Close()
	s, err := converse(ctx, conn, client, &pb.StartConversation{
		SessionId: os.Getenv(envSession), WorkingDirectory: os.Getenv(envDir), History: pb.HistoryPolicy_HISTORY_POLICY_NONE, Observer: client > 0,
	})
	orders, tell := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for a := (account{}); err == nil; {
		if err = tell.Encode(a); err != nil {
			return err
		}
		var o order
		if orders.Decode(&o) != nil {
			return nil
		}
		w := work{o.Lines, o.Rate, o.Own}
		if err = s.say(w); err != nil {
			return err
		}
		var t tally
		t, err = s.turn(w)
		a = account{Events: t.events, Batches: t.batches, Lagging: t.lagging, Bytes: t.bytes, Ended: t.ended}
	}
	return err
}
