package listing

import (
	"fmt"
	"slices"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/grpcapi/translate"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// Page builds a list of sessions.
type Page struct {
	cache *Cache
	known []known
}

// known is a session whose summary the cache had when the page was read.
type known struct {
	session messages.SessionID
	encoded []byte
}

// Page begins a list.
func (c *Cache) Page() *Page { return &Page{cache: c} }

// Known is [messages.ListSessions.Known]: it takes the summary of a session out of the cache, if the cache has it.
func (p *Page) Known(id messages.SessionID, r messages.Revision) bool {
	encoded := p.cache.get(r)
	if encoded != nil {
		p.known = append(p.known, known{id, encoded})
	}
	return encoded != nil
}

// sessionsField is the field number of ListSessionsResponse.sessions.
const sessionsField = 1

// usualBytes is the typical size of an encoded session.
const usualBytes = 400

// Encode returns a page with the sessions of the list and those that were cached, in their order. pending are the
// requests that wait for a person. The message contains the sessions as encoded bytes: it can be sent, but its getters
// do not return them.
func (p *Page) Encode(l messages.SessionList, pending []messages.PermissionRecord, now time.Time) (*pb.ListSessionsResponse, error) {
	asks, waits := map[messages.SessionID][]messages.PermissionRecord{}, map[messages.SessionID]bool{}
	for _, request := range pending {
		asks[request.Session] = append(asks[request.Session], request)
	}
	for _, w := range l.Slots.Waiting {
		waits[w.Session] = true
	}
	// completed adds the parts that do not depend on the record.
	completed := func(id messages.SessionID, encoded []byte) ([]byte, error) {
		if len(asks[id]) == 0 && !waits[id] {
			return encoded, nil
		}
		s := &pb.SessionSummary{}
		if err := proto.Unmarshal(encoded, s); err != nil {
			return nil, fmt.Errorf("decode summary: %w", err)
		}
		translate.NoteSlot(s, l.Slots)
		translate.NoteAsks(s, asks[id])
		return proto.Marshal(s)
	}

	size := len(l.Sessions) * usualBytes
	for _, k := range p.known {
		size += len(k.encoded) + usualBytes/10
	}
	all := make([]byte, 0, size)
	at, have := 0, p.known
	for place := range len(l.Sessions) + len(l.Known) {
		var id messages.SessionID
		var encoded []byte
		var err error
		if len(l.Known) > 0 && l.Known[0] == place {
			id, encoded = have[0].session, have[0].encoded
			l.Known, have = l.Known[1:], have[1:]
		} else {
			id = l.Sessions[at].ID
			if encoded, err = p.encode(l, at, now); err != nil {
				return nil, err
			}
			at++
		}
		if encoded, err = completed(id, encoded); err != nil {
			return nil, err
		}
		all = protowire.AppendTag(all, sessionsField, protowire.BytesType)
		all = protowire.AppendBytes(all, encoded)
	}
	out := translate.TotalsOut(l)
	out.ProtoReflect().SetUnknown(all)
	return out, nil
}

// encode returns the encoded summary of a session of the list, and caches it.
func (p *Page) encode(l messages.SessionList, at int, now time.Time) ([]byte, error) {
	record := &l.Sessions[at]
	encoded, err := proto.Marshal(translate.SummaryOut(record, now))
	if err != nil {
		return nil, fmt.Errorf("encode summary: %w", err)
	}
	if at < len(l.Revisions) && translate.Steady(record) {
		p.cache.put(record.ID, l.Revisions[at], encoded)
	}
	return encoded, nil
}

// Limits returns the result of [translate.LimitsOut] for the sessions of the list and those that were cached; no cached
// record has a limit. It caches the summaries of the others for the next list.
func (p *Page) Limits(l messages.SessionList, now time.Time) (limited uint32, until *timestamppb.Timestamp, err error) {
	sessions := slices.Clone(l.Sessions)
	for _, k := range p.known {
		if slices.ContainsFunc(l.Slots.Waiting, func(w messages.SlotWaiter) bool { return w.Session == k.session }) {
			sessions = append(sessions, messages.SessionRecord{ID: k.session})
		}
	}
	for at := range l.Sessions {
		if _, err := p.encode(l, at, now); err != nil {
			return 0, nil, err
		}
	}
	limited, until = translate.LimitsOut(sessions, l.Slots, now)
	return limited, until, nil
}
