package retention

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "betcode/proto/betcode/v1"

	"betcode/messages"
)

// sessionStore is a store of one session: its events, without a gap.
type sessionStore []messages.Event

// Sessions is not used: the plan of one session is tested.
func (s sessionStore) Sessions(string, string, int, int) ([]messages.SessionRecord, int, error) {
	return nil, 0, nil
}

// Events returns at most so many events and about so many bytes.
func (s sessionStore) Events(_ messages.SessionID, after messages.Seq, maxEvents, maxBytes int) (found []messages.Event, err error) {
	bytes := 0
	for _, e := range s {
		if e.Seq > after && len(found) < maxEvents && bytes < maxBytes {
			found, bytes = append(found, e), bytes+len(e.Bytes)
		}
	}
	return found, nil
}

// daily returns a session with one event a day, from so many days ago until yesterday.
func daily(t *testing.T, days int) (messages.SessionRecord, sessionStore) {
	t.Helper()
	now := time.Now().Round(0)
	record := messages.SessionRecord{ID: "a", Head: messages.Seq(days)}
	var store sessionStore
	for n := 1; n <= days; n++ {
		at := now.Add(-time.Duration(days-n+1) * 24 * time.Hour)
		raw, err := proto.Marshal(&pb.AgentEvent{Sequence: uint64(n), Timestamp: timestamppb.New(at), Event: &pb.AgentEvent_TextDelta{
			TextDelta: &pb.TextDelta{Text: fmt.Sprintf("%-100d", n)},
		}})
		if err != nil {
			t.Fatal(err)
		}
		record.Past.Bytes += uint64(len(raw))
		store = append(store, messages.Event{Seq: messages.Seq(n), Bytes: raw})
	}
	return record, store
}

// Where files were dropped, the number of dropped bytes of a session is not known: its rest is
// counted before more of it is dropped.
func TestRetentionAfterFilesWereDropped(t *testing.T) {
	record, store := daily(t, 100)
	limits := limits{bytes: record.Past.Bytes / 2, now: time.Now()}
	dropped := droppedStore{store, 60}
	if _, due, err := limits.look(dropped, &record); due || err != nil {
		t.Errorf("forty of a hundred events are left, fifty allowed: due %v, %v", due, err)
	}
	limits.bytes = record.Past.Bytes / 5
	trim, due, err := limits.look(dropped, &record)
	if err != nil || !due || trim.To < 79 || trim.To > 81 || record.Past.Bytes-trim.Bytes > limits.bytes {
		t.Errorf("%+v, due %v, %v", trim, due, err)
	}
}

// droppedStore is a store that dropped the files with the first events.
type droppedStore struct {
	sessionStore
	upTo messages.Seq
}

func (s droppedStore) Events(id messages.SessionID, after messages.Seq, maxEvents, maxBytes int) ([]messages.Event, error) {
	return s.sessionStore.Events(id, max(after, s.upTo), maxEvents, maxBytes)
}
