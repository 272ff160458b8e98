package queries

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// diary is a store of sessions with a message each minute.
type diary struct {
	Store
	outlines []messages.SessionOutline
	began    time.Time
	reads    int
}

func (d *diary) Outlines() []messages.SessionOutline {
	return append([]messages.SessionOutline(nil), d.outlines...)
}

func (d *diary) Events(id messages.SessionID, after messages.Seq, maxEvents, _ int) (events []messages.Event, err error) {
	d.reads++
	for _, o := range d.outlines {
		if o.ID != id {
			continue
		}
		for seq := max(after, o.LowWater) + 1; seq <= o.Head && len(events) < maxEvents; seq++ {
			raw, err := proto.Marshal(&pb.AgentEvent{
				Timestamp: timestamppb.New(d.began.Add(time.Duration(seq) * time.Minute)),
				Event:     &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: fmt.Sprint(seq)}},
			})
			if err != nil {
				return nil, err
			}
			events = append(events, messages.Event{Seq: seq, Bytes: raw})
		}
	}
	return events, nil
}

// A digest begins with the first event at its time, wherever that is, and reads little of what came before.
func TestDigestBeginsAtItsTime(t *testing.T) {
	began := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	const head = 12_345
	for _, low := range []messages.Seq{0, 700} {
		for _, first := range []messages.Seq{1, 2, 256, 257, 700, 701, 702, 6000, head - 300, head - 1, head} {
			store := &diary{began: began, outlines: []messages.SessionOutline{{ID: "a", Head: head, LowWater: low, UpdatedAt: began.Add(head * time.Minute)}}}
			q := New(Deps{Store: store, Now: time.Now})
			answer, err := q.Answer(t.Context(), messages.GetDigest{Since: began.Add(time.Duration(first) * time.Minute), Limit: 5})
			if err != nil {
				t.Fatal(err)
			}
			got := answer.(messages.Digest).Sessions[0] //nolint:forcetypeassert // that is the answer
			if want := max(first, low+1); got.First != want || got.Last != head || got.Messages != int(head-want+1) || got.Partial {
				t.Errorf("from %d, kept above %d: %+v", first, low, got)
			}
			if most := 20 + int(head-first)/digestPage; store.reads > most {
				t.Errorf("from %d: %d reads, more than %d", first, store.reads, most)
			}
		}
	}
}

// Sessions that did not change are not read, the last changed comes first, and a cut is reported.
func TestDigestOfManySessions(t *testing.T) {
	began := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	store := &diary{began: began}
	for i := range 10 {
		store.outlines = append(store.outlines, messages.SessionOutline{
			ID: messages.SessionID(fmt.Sprint(i)), Name: "n", Directory: []string{"/a", "/a/b"}[i%2], Head: messages.Seq(10 * (i + 1)), UpdatedAt: began.Add(time.Duration(10*(i+1)) * time.Minute),
		})
	}
	store.outlines = append(store.outlines, messages.SessionOutline{ID: "long", Directory: "/c", Head: 3 * digestEvents, UpdatedAt: began.Add(3 * digestEvents * time.Minute)})
	q := New(Deps{Store: store, Now: time.Now})
	ask := func(m messages.GetDigest) messages.Digest {
		t.Helper()
		answer, err := q.Answer(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		return answer.(messages.Digest) //nolint:forcetypeassert // that is the answer
	}
	d := ask(messages.GetDigest{Since: began.Add(75 * time.Minute), Limit: 2})
	if len(d.Sessions) != 2 || d.Sessions[0].Session != "long" || !d.Sessions[0].Partial || d.Sessions[0].Messages != digestEvents || d.Sessions[1].Session != "9" || d.More != 2 {
		t.Errorf("%+v", d)
	}
	if d := ask(messages.GetDigest{Since: began, Directory: "/a/b", Limit: 99}); len(d.Sessions) != 5 || d.More != 0 {
		t.Errorf("%d sessions, %d more", len(d.Sessions), d.More)
	}
}
