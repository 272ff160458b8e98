package search

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"betcode/messages"
	"betcode/persistence/search/internal/document"
	pb "betcode/proto/betcode/v1"
)

const (
	pageEvents = 256
	pageBytes  = 1 << 20
	maxTools   = 1 << 15 // names of tools; calls of others are found by their words
)

// ErrRebuild means that the index does not fit the journal, and has to be rebuilt.
var ErrRebuild = messages.Errorf(opIndex, messages.WrongState, "the index has events that the journal does not have")

// Advance indexes the next events of a session, at most about room of them. more reports whether there are others.
func (x *Index) Advance(id messages.SessionID, room int) (more bool, err error) {
	outline, found := x.options.Journal.Outline(id)
	if !found || outline.Damaged {
		delete(x.builders, id)
		return false, nil
	}
	m := x.markOf(id)
	if m.head > outline.Head {
		return false, ErrRebuild
	}
	b, err := x.builder(id, m, outline)
	if err != nil {
		return false, err
	}
	for room > 0 {
		page, err := x.page(id, m.head)
		if err != nil {
			return false, err
		}
		if len(page) == 0 {
			m.head = max(m.head, outline.Head) // the rest cannot be read
			x.setMark(id, m)
			return false, nil
		}
		for _, e := range page {
			var event pb.AgentEvent
			if proto.Unmarshal(e.Bytes, &event) == nil { // otherwise no client can read it either
				x.add(id, b.Add(e.Seq, &event))
			}
		}
		room -= len(page)
		m = mark{page[len(page)-1].Seq, b.Open()}
		x.setMark(id, m)
		if x.fresh.full() {
			if err := x.Flush(); err != nil {
				return true, err
			}
		}
		if m.head >= outline.Head {
			return false, nil
		}
	}
	return true, nil
}

// page returns the events of a session after a number, without those that are damaged.
func (x *Index) page(id messages.SessionID, after messages.Seq) ([]messages.Event, error) {
	page, err := x.options.Journal.Events(id, after, pageEvents, pageBytes)
	if messages.KindOf(err) == messages.DataLoss {
		page, _, err = x.options.Journal.Salvaged(id, after, pageEvents, pageBytes)
	}
	if messages.KindOf(err) == messages.NotFound { // it was deleted meanwhile
		return nil, nil
	}
	return page, err
}

// builder returns the builder of a session's unfinished documents. After a restart it reads their events from the journal again.
func (x *Index) builder(id messages.SessionID, m mark, o messages.SessionOutline) (*document.Builder, error) {
	if b := x.builders[id]; b != nil {
		return b, nil
	}
	b := &document.Builder{}
	for at := m.from; m.from > 0 && at <= m.head; {
		page, err := x.page(id, max(at-1, o.LowWater))
		if err != nil {
			return nil, fmt.Errorf("read session %s again from event %d: %w", id, at, err)
		}
		if len(page) == 0 {
			break
		}
		for _, e := range page {
			var event pb.AgentEvent
			if e.Seq <= m.head && proto.Unmarshal(e.Bytes, &event) == nil {
				b.Add(e.Seq, &event) // the documents are already indexed
			}
		}
		at = page[len(page)-1].Seq + 1
	}
	for other := range x.builders {
		if len(x.builders) < maxBuilders {
			break
		}
		delete(x.builders, other)
	}
	x.builders[id] = b
	return b, nil
}

// add adds documents of a session to the segment in memory.
func (x *Index) add(id messages.SessionID, documents []document.Document) {
	for _, d := range documents {
		x.mu.Lock()
		x.fresh.add(d, rowOf(d, x.place(id), x.toolPlace(d.Tool)))
		x.mu.Unlock()
	}
}

func (x *Index) markOf(id messages.SessionID) mark {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.marks[id]
}

func (x *Index) setMark(id messages.SessionID, m mark) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.place(id)
	x.marks[id], x.changed[id] = m, true
}

// place returns the place of a session. The caller holds mu.
func (x *Index) place(id messages.SessionID) uint32 {
	place, ok := x.places[id]
	if !ok {
		place = uint32(len(x.sessions)) //nolint:gosec // they are counted
		x.sessions, x.places[id] = append(x.sessions, id), place
	}
	return place
}

// toolPlace returns the place of a tool's name; 0 for no name, and if there are too many. The caller holds mu.
func (x *Index) toolPlace(name string) uint16 {
	place, ok := x.toolAt[name]
	if !ok && name != "" && len(x.tools) < maxTools {
		place = uint16(len(x.tools)) //nolint:gosec // bounded above
		x.tools, x.toolAt[name] = append(x.tools, name), place
	}
	return place
}
