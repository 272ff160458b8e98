package client

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	pb "betcode/proto/betcode/v1"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// daemon is a fake daemon with events and a script for each connection.
type daemon struct {
	pb.UnimplementedAgentServiceServer

	mu       sync.Mutex
	starts   []*pb.StartConversation
	clients  []string
	received []*pb.AgentRequest
	scripts  []script // one per connection; the last one repeats
	lineage  string
	events   uint64 // there are events 1 to this
}

// script runs on one connection after the history was sent.
type script func(d *daemon, stream serverStream) error

type serverStream = grpc.BidiStreamingServer[pb.AgentRequest, pb.AgentEvent]

func (d *daemon) Converse(stream serverStream) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	start := first.GetStart()
	d.mu.Lock()
	d.starts = append(d.starts, start)
	d.clients = append(d.clients, metadata.ValueFromIncomingContext(stream.Context(), clientIDKey)...)
	run := d.scripts[min(len(d.starts), len(d.scripts))-1]
	head, lineage := d.events, d.lineage
	d.mu.Unlock()
	if start.GetFromSequence() > head {
		return status.Error(codes.OutOfRange, "beyond the head")
	}
	if err := stream.Send(info(lineage)); err != nil {
		return err
	}
	for seq := start.GetFromSequence() + 1; seq <= head; seq++ {
		if err := stream.Send(&pb.AgentEvent{Sequence: seq}); err != nil {
			return err
		}
	}
	return run(d, stream)
}

// next receives and records one request.
func (d *daemon) next(stream serverStream) (*pb.AgentRequest, error) {
	r, err := stream.Recv()
	if err == nil {
		d.mu.Lock()
		d.received = append(d.received, r)
		d.mu.Unlock()
	}
	return r, err
}

// emit journals an event and sends it.
func (d *daemon) emit(stream serverStream, e *pb.AgentEvent) error {
	d.mu.Lock()
	d.events++
	e.Sequence = d.events
	d.mu.Unlock()
	return stream.Send(e)
}

// drop ends the connection as the end of a daemon does.
func drop(*daemon, serverStream) error { return status.Error(codes.Unavailable, "gone") }

func finish(*daemon, serverStream) error { return nil }

func hold(_ *daemon, stream serverStream) error {
	<-stream.Context().Done()
	return nil
}

// serve starts d and returns a client of it.
func serve(t *testing.T, d *daemon) *Client {
	t.Helper()
	l := bufconn.Listen(1 << 16)
	s := grpc.NewServer()
	pb.RegisterAgentServiceServer(s, d)
	go s.Serve(l)
	c, err := New(Options{Identity: Identity{ID: "me"}, Dial: l.DialContext})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		s.Stop()
	})
	return c
}

// read takes items until the end or until enough says so, and returns the numbers
// of the events.
func read(t *testing.T, v *Conversation, enough func(Item) bool) (seqs []uint64, outages []*Outage, end error) {
	t.Helper()
	patience := time.After(time.Minute)
	for {
		var item Item
		var ok bool
		select {
		case item, ok = <-v.Items():
		case <-patience:
			t.Fatal("nothing happens")
		}
		if !ok {
			return seqs, outages, v.Err()
		}
		if item.Event.GetSequence() > 0 {
			seqs = append(seqs, item.Event.GetSequence())
		}
		if item.Outage != nil {
			outages = append(outages, item.Outage)
		}
		if enough != nil && enough(item) {
			return seqs, outages, nil
		}
	}
}

// TestReconnectResumesAfterTheCursor follows the flow of the reconnection document.
func TestReconnectResumesAfterTheCursor(t *testing.T) {
	d := &daemon{events: 3, scripts: []script{
		drop,
		func(d *daemon, s serverStream) error {
			_ = d.emit(s, &pb.AgentEvent{})
			_ = s.Send(&pb.AgentEvent{Sequence: 4}) // repeated
			return drop(d, s)
		},
		func(d *daemon, s serverStream) error {
			_ = d.emit(s, &pb.AgentEvent{})
			return nil
		},
	}}
	v := serve(t, d).Converse(t.Context(), ConverseOptions{Start: &pb.StartConversation{}})
	defer v.Close()
	seqs, outages, err := read(t, v, nil)
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if !slices.Equal(seqs, []uint64{1, 2, 3, 4, 5}) {
		t.Errorf("events %v", seqs)
	}
	var told []bool
	for _, o := range outages {
		told = append(told, o.Err != nil)
	}
	if !slices.Equal(told, []bool{true, false, true, false}) {
		t.Errorf("outages %v", told)
	}
	for i, from := range []uint64{0, 3, 4} {
		if s := d.starts[i]; s.GetFromSequence() != from || s.GetSessionId() != v.Session() || s.GetSessionId() == "" {
			t.Errorf("connection %d began with %v", i, s)
		}
	}
	if d.clients[0] != "me" || d.clients[2] != "me" {
		t.Errorf("clients %v", d.clients)
	}
}

// TestMessagesAreSentUntilAcknowledged breaks the connection after the message was
// received and before it was acknowledged.
func TestMessagesAreSentUntilAcknowledged(t *testing.T) {
	d := &daemon{scripts: []script{
		func(d *daemon, s serverStream) error {
			_, _ = d.next(s)
			return drop(d, s)
		},
		func(d *daemon, s serverStream) error {
			r, err := d.next(s)
			if err != nil {
				return err
			}
			_ = d.emit(s, accepted(0, r.GetMessage().GetIdempotencyKey()))
			return drop(d, s)
		},
		func(d *daemon, s serverStream) error {
			if r, err := d.next(s); !errors.Is(err, io.EOF) {
				t.Errorf("an acknowledged message was sent again: %v %v", r, err)
			}
			return nil
		},
	}}
	v := serve(t, d).Converse(t.Context(), ConverseOptions{Start: &pb.StartConversation{}})
	defer v.Close()
	key := v.SendMessage("hello")
	if v.Unconfirmed() != 1 {
		t.Errorf("%d unconfirmed", v.Unconfirmed())
	}
	v.CloseSend()
	if _, _, err := read(t, v, nil); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if v.Unconfirmed() != 0 {
		t.Errorf("%d unconfirmed", v.Unconfirmed())
	}
	if len(d.received) != 2 {
		t.Fatalf("received %v", d.received)
	}
	for _, r := range d.received {
		if r.GetMessage().GetIdempotencyKey() != key || r.GetMessage().GetContent() != "hello" {
			t.Errorf("received %v", r)
		}
	}
}

func TestAnswersAreSentUntilResolved(t *testing.T) {
	d := &daemon{scripts: []script{
		func(d *daemon, s serverStream) error {
			_, _ = d.next(s)
			return drop(d, s)
		},
		func(d *daemon, s serverStream) error {
			r, err := d.next(s)
			if err != nil {
				return err
			}
			return d.emit(s, resolved(0, r.GetPermission().GetRequestId()))
		},
	}}
	v := serve(t, d).Converse(t.Context(), ConverseOptions{Start: &pb.StartConversation{}})
	defer v.Close()
	v.Send(allow("req"))
	if _, _, err := read(t, v, nil); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if len(d.received) != 2 || v.Unconfirmed() != 0 {
		t.Errorf("received %v, %d unconfirmed", d.received, v.Unconfirmed())
	}
}

// TestRestoredJournal reconnects to a daemon with a restored journal: once with a
// head before the cursor, once with another lineage.
func TestRestoredJournal(t *testing.T) {
	for name, then := range map[string]func(d *daemon){
		"number too high": func(d *daemon) { d.events = 1 },
		"other lineage":   func(d *daemon) { d.lineage = "new" },
	} {
		t.Run(name, func(t *testing.T) {
			d := &daemon{events: 3, lineage: "old", scripts: []script{
				func(d *daemon, s serverStream) error {
					d.mu.Lock()
					then(d)
					d.mu.Unlock()
					return drop(d, s)
				},
				finish,
			}}
			v := serve(t, d).Converse(t.Context(), ConverseOptions{Start: &pb.StartConversation{}})
			defer v.Close()
			seqs, outages, err := read(t, v, nil)
			if !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			want := []uint64{1, 2, 3, 1}
			if name == "other lineage" {
				want = []uint64{1, 2, 3, 1, 2, 3}
			}
			if !slices.Equal(seqs, want) {
				t.Errorf("events %v, want %v", seqs, want)
			}
			if !slices.ContainsFunc(outages, func(o *Outage) bool { return o.Restored }) {
				t.Error("the restored journal was not reported")
			}
		})
	}
}

func TestGivesUp(t *testing.T) {
	for name, test := range map[string]struct {
		end    error
		outage time.Duration
		starts int // connections that reached the daemon
	}{
		"refused":         {status.Error(codes.InvalidArgument, "no"), 0, 1},
		"not there":       {status.Error(codes.NotFound, "no"), 0, 1},
		"fails":           {status.Error(codes.Internal, "bug"), 0, maxFailures},
		"away for long":   {status.Error(codes.Unavailable, "no"), 200 * time.Millisecond, 2},
		"away, impatient": {status.Error(codes.Unavailable, "no"), 50 * time.Millisecond, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := &daemon{scripts: []script{func(*daemon, serverStream) error { return test.end }}}
				v := serve(t, d).Converse(t.Context(), ConverseOptions{Start: &pb.StartConversation{}, MaxOutage: test.outage})
				defer v.Close()
				_, _, err := read(t, v, nil)
				if status.Code(err) != status.Code(test.end) {
					t.Errorf("ended with %v, want %v", err, test.end)
				}
				if len(d.starts) != test.starts {
					t.Errorf("%d connections, want %d", len(d.starts), test.starts)
				}
			})
		})
	}
}

// TestFatalErrorIsTheStatus checks that the event that repeats the status is dropped.
func TestFatalErrorIsTheStatus(t *testing.T) {
	d := &daemon{scripts: []script{func(_ *daemon, s serverStream) error {
		_ = s.Send(&pb.AgentEvent{Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{Code: "SESSION_NOT_FOUND", IsFatal: true}}})
		return status.Error(codes.NotFound, "deleted")
	}}}
	v := serve(t, d).Converse(t.Context(), ConverseOptions{Start: &pb.StartConversation{}})
	defer v.Close()
	_, _, err := read(t, v, func(i Item) bool {
		if i.Event.GetError() != nil {
			t.Errorf("shown: %v", i.Event)
		}
		return false
	})
	if status.Code(err) != codes.NotFound {
		t.Error(err)
	}
}

func TestCloseWithoutAReader(t *testing.T) {
	d := &daemon{events: 500, scripts: []script{hold}}
	v := serve(t, d).Converse(t.Context(), ConverseOptions{Start: &pb.StartConversation{}})
	if _, _, err := read(t, v, func(i Item) bool { return i.Event.GetSequence() == 3 }); err != nil {
		t.Fatal(err)
	}
	v.Close()
	if !errors.Is(v.Err(), context.Canceled) {
		t.Errorf("ended with %v", v.Err())
	}
}

func TestNoDaemon(t *testing.T) {
	c, err := New(Options{Dial: func(context.Context) (net.Conn, error) { return nil, errors.New("connection refused") }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Ping(t.Context()); !Unreachable(err) {
		t.Errorf("ping: %v", err)
	}
	v := c.Converse(t.Context(), ConverseOptions{Start: &pb.StartConversation{}, MaxOutage: 150 * time.Millisecond})
	defer v.Close()
	if _, _, err := read(t, v, nil); !Unreachable(err) {
		t.Errorf("converse: %v", err)
	}
}
