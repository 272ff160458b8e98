package actors

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/actors/client"
	pb "betcode/proto/betcode/v1"

	"betcode/messages"
)

// worded gives a session one event a day, from so many days ago until yesterday.
func (s *memoryStore) worded(t *testing.T, id messages.SessionID, days int) {
	t.Helper()
	now := time.Now().Round(0)
	record := messages.SessionRecord{ID: id, WorkingDirectory: "/", Phase: messages.PhaseIdle, CreatedAt: now, UpdatedAt: now}
	for n := 1; n <= days; n++ {
		at := now.Add(-time.Duration(days-n+1) * 24 * time.Hour)
		raw, err := proto.Marshal(&pb.AgentEvent{Sequence: uint64(n), Timestamp: timestamppb.New(at), Event: &pb.AgentEvent_TextDelta{
			TextDelta: &pb.TextDelta{Text: fmt.Sprintf("%-100d", n)},
		}})
		if err != nil {
			t.Fatal(err)
		}
		record.Past.Bytes += uint64(len(raw))
		record.Head = messages.Seq(n)
		copied := record
		if err := s.Commit([]messages.Append{{
			Session: id, Expect: messages.Seq(n - 1), Events: []messages.Event{{Seq: messages.Seq(n), Bytes: raw}}, Record: &copied,
		}})[0]; err != nil {
			t.Fatal(err)
		}
	}
}

// inYears runs a test on a system whose sessions have the retention of options.
func inYears(t *testing.T, seed func(*memoryStore), change func(*Options), test func(d *days)) {
	synctest.Test(t, func(t *testing.T) {
		d := &days{t: t, store: newMemoryStore(), began: time.Now().Round(0)}
		seed(d.store)
		d.start(change)
		test(d)
		d.stop()
		time.Sleep(2 * time.Second) // the library's throttle of dead letters
	})
}

func (d *days) low(id messages.SessionID) messages.Seq { return d.store.look(id).Record.Past.LowWater }

// A session keeps its events for the configured age, and an eighth longer before retention
// checks them; other sessions keep theirs.
func TestRetentionByAge(t *testing.T) {
	inYears(t, func(s *memoryStore) {
		s.worded(t, sessionA, 100)
		s.worded(t, "young", 88)
	}, func(o *Options) { o.Settings.SessionAge = 80 * day }, func(d *days) {
		d.until(2 * time.Minute)
		if a, young := d.low(sessionA), d.low("young"); a != 21 || young != 0 {
			t.Errorf("given up to %d and %d, want 21 and 0", a, young)
		}
		if events := d.store.look(sessionA).After(0, 1000, 1<<20); len(events) != 80 { // and the notice
			t.Errorf("%d events are left", len(events))
		}
		d.until(3 * day)
		if young := d.low("young"); young < 10 || young > 11 {
			t.Errorf("the young one has given up up to %d by now", young)
		}
		d.until(120 * day) // nothing is written: in the end only notices are left, and none is added
		head := d.store.look(sessionA).Head()
		if low := d.low(sessionA); low < 100 || head-low > 16 { // the first events that retention reads
			t.Errorf("given up to %d of %d", low, head)
		}
		d.until(300 * day)
		if again := d.store.look(sessionA).Head(); again != head {
			t.Errorf("%d more events say that nothing was given up", again-head)
		}
	})
}

// A session keeps the configured bytes; more output drops the beginning of its history.
func TestRetentionByBytes(t *testing.T) {
	var size uint64
	inYears(t, func(s *memoryStore) {
		s.worded(t, sessionA, 100)
		size = s.sessions[sessionA].Record.Past.Bytes / 100
		s.worded(t, "short", 50)
	}, func(o *Options) { o.Settings.SessionBytes = int64(60*size) + 10 }, func(d *days) {
		d.until(2 * time.Minute)
		if a, short := d.low(sessionA), d.low("short"); a < 39 || a > 41 || short != 0 {
			t.Errorf("given up to %d and %d", a, short)
		}
		p, kept := d.store.look(sessionA).Record.Past, uint64(0)
		for _, e := range d.store.look(sessionA).After(0, 1000, 1<<20) {
			kept += uint64(len(e.Bytes))
		}
		if p.Bytes-p.LowWaterBytes != kept {
			t.Errorf("%d bytes are left, counted as %d", kept, p.Bytes-p.LowWaterBytes)
		}
		head := d.store.look(sessionA).Head()
		d.until(10 * day) // at its limit, nothing is dropped
		if again := d.store.look(sessionA).Head(); again != head {
			t.Errorf("trimmed again, %d times", again-head)
		}
	})
}

// A client below the watermark learns that history is gone, and gets the rest.
func TestRetentionUnderAClient(t *testing.T) {
	inYears(t, func(s *memoryStore) { s.worded(t, sessionA, 100) }, func(o *Options) { o.Settings.SessionAge = 80 * day }, func(d *days) {
		d.until(2 * time.Minute)
		f, _, err := d.Attach(context.Background(), messages.Attach{
			Session: sessionA, Client: "ann", Stream: "s", Observer: true, History: messages.HistoryFromSequence, From: 5, Follow: messages.FollowTurn,
		})
		if err != nil {
			t.Error(err)
			return
		}
		var words []string
		for {
			events, err := next(context.Background(), f)
			for _, e := range events {
				words = append(words, fmt.Sprint(e.Seq))
				snapshot := client.Compacted([]messages.Event{e})
				if len(words) == 4 && (len(snapshot) != 1 || !bytes.Equal(snapshot[0].Bytes, e.Bytes)) {
					t.Error("no snapshot stands for what is gone")
				}
			}
			if err != nil {
				break
			}
		}
		if len(words) != 4+79+1 || words[4] != "22" { // behind the greeting and the snapshot in place of the rest
			t.Errorf("%d events: %v", len(words), words)
		}
		f.Close()
	})
}
