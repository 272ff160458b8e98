package queries

import (
	"cmp"
	"context"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"betcode/actors/internal/digest"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

const (
	digestEvents = 20_000  // of one session; of one with more, the newest are read
	digestTotal  = 200_000 // of all sessions
	digestPage   = 256
)

// digest sums up the events since a time. It reads the sessions that have changed since, the last changed first.
func (q *Queries) digest(ctx context.Context, m messages.GetDigest) (messages.Reply, error) {
	out := messages.Digest{Since: m.Since, Until: q.deps.Now()}
	all := slices.DeleteFunc(q.deps.Store.Outlines(), func(o messages.SessionOutline) bool {
		return o.Damaged || o.UpdatedAt.Before(m.Since) || !o.In(m.Directory)
	})
	slices.SortFunc(all, func(a, b messages.SessionOutline) int {
		return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(a.ID, b.ID))
	})
	room := digestTotal
	for i, o := range all {
		if len(out.Sessions) == m.Limit || room <= 0 {
			out.More = len(all) - i
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, &messages.Error{Op: "sum up history", Kind: messages.Canceled, Err: context.Cause(ctx)}
		}
		d, read, quiet, err := q.sumUp(o, m.Since, min(room, digestEvents))
		if messages.KindOf(err) == messages.NotFound || messages.KindOf(err) == messages.DataLoss {
			continue // it was deleted meanwhile, or cannot be read: 'journal verify' names it
		}
		if err != nil {
			return nil, messages.AsError("sum up history", err)
		}
		room -= read
		if !quiet {
			out.Sessions = append(out.Sessions, d)
		}
	}
	return out, nil
}

// sumUp sums up a session, from at most so many events.
func (q *Queries) sumUp(o messages.SessionOutline, since time.Time, room int) (d messages.SessionDigest, read int, quiet bool, err error) {
	at, err := q.lastBefore(o, since)
	if err != nil {
		return d, 0, true, err
	}
	partial := o.Head-at > messages.Seq(room)
	if partial {
		at = o.Head - messages.Seq(room)
	}
	var f digest.Fold
	for at < o.Head {
		page, err := q.deps.Store.Events(o.ID, at, digestPage, 0)
		if err != nil {
			return d, read, true, err
		}
		if len(page) == 0 {
			break
		}
		for _, e := range page {
			var event pb.AgentEvent
			if e.Seq <= o.Head && proto.Unmarshal(e.Bytes, &event) == nil && !event.GetTimestamp().AsTime().Before(since) {
				f.Add(e.Seq, &event)
			}
		}
		read, at = read+len(page), page[len(page)-1].Seq
	}
	d = f.Digest()
	d.Session, d.Name, d.Directory, d.Parent, d.Partial = o.ID, cmp.Or(o.Name, o.Title), o.Directory, o.Parent, partial
	return d, read, f.Quiet(), nil
}

// lastBefore returns the number of an event before a time. It searches by halving, because events are in the order of their times.
func (q *Queries) lastBefore(o messages.SessionOutline, since time.Time) (messages.Seq, error) {
	low, high := o.LowWater, o.Head // the event after low may be the first; that at high is late enough
	for high-low > digestPage {
		middle := low + (high-low)/2
		page, err := q.deps.Store.Events(o.ID, middle-1, 1, 0)
		if err != nil {
			return 0, err
		}
		if len(page) == 0 {
			break
		}
		var event pb.AgentEvent
		early := page[0].Seq > middle // the events here were dropped
		if !early && proto.Unmarshal(page[0].Bytes, &event) == nil {
			early = event.GetTimestamp().AsTime().Before(since)
		}
		if early {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low, nil
}
