package portal

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"betcode/gateway/portal/lines"
	pb "betcode/proto/betcode/v1"
)

// Pages that connect and leave at any time, and read at any pace, get each line once, in order, and
// know the same requests in the end. Pages of one account share a stream when they have caught up.
func TestReaders(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		synctest.Test(t, func(*testing.T) {
			h := newHistory()
			accounts := []*account{{Daemon: h}, {Daemon: h}}
			all := &feeds{all: map[feedKey]*feed{}}
			var pages []*watcher
			open := map[string]bool{}
			for step := range rapid.IntRange(1, 60).Draw(rt, "steps") {
				switch rapid.IntRange(0, 6).Draw(rt, "what") {
				case 0: // a page connects
					pages = append(pages, watch(all, accounts[rapid.IntRange(0, 1).Draw(rt, "account")], h.head()))
				case 1: // a page leaves
					if len(pages) > 0 {
						pages[0].stop()
						<-pages[0].err
						pages = pages[1:]
					}
				case 2: // a page takes some items
					if len(pages) > 0 {
						p := pages[rapid.IntRange(0, len(pages)-1).Draw(rt, "page")]
						for range rapid.IntRange(1, 20).Draw(rt, "takes") {
							select {
							case p.may <- struct{}{}:
							case <-time.After(time.Second):
							}
						}
					}
				case 3:
					id := fmt.Sprint("r", step)
					open[id] = true
					h.add(&pb.AgentEvent{Event: &pb.AgentEvent_PermissionRequest{PermissionRequest: &pb.PermissionRequest{RequestId: id, ToolName: "Bash"}}})
				case 4:
					for id := range open {
						delete(open, id)
						h.add(&pb.AgentEvent{Event: &pb.AgentEvent_PermissionResolved{PermissionResolved: &pb.PermissionResolved{RequestId: id}}})
						break
					}
				default:
					text := strings.Repeat("x", rapid.SampledFrom([]int{1, 10, 400 << 10}).Draw(rt, "size"))
					for range rapid.IntRange(1, 8).Draw(rt, "events") {
						h.add(&pb.AgentEvent{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{
							BlockId: "b", Text: text, IsComplete: rapid.Bool().Draw(rt, "complete"),
						}}})
					}
				}
				if rapid.Bool().Draw(rt, "settle") {
					synctest.Wait()
				}
			}
			for _, p := range pages {
				close(p.may)
			}
			synctest.Wait()
			if want := min(len(pages), len(accounts)); h.streams > want {
				rt.Errorf("%d pages have %d streams", len(pages), h.streams)
			}
			want := h.each()
			for i, p := range pages {
				p.stop()
				<-p.err
				if strings.Join(p.lines, "\n") != strings.Join(want, "\n") {
					rt.Errorf("page %d got %d lines of %d", i, len(p.lines), len(want))
				}
				if fmt.Sprint(p.asked) != fmt.Sprint(open) {
					rt.Errorf("page %d knows the requests %v, open are %v", i, p.asked, open)
				}
			}
			synctest.Wait()
			if len(all.all) > 0 || h.streams > 0 {
				rt.Errorf("%d feeds and %d streams are left", len(all.all), h.streams)
			}
		})
	})
}

// Items of the feed that the page has read are not shown again, except decisions, because the feed
// may have repeated their requests.
func TestEachItemOnce(t *testing.T) {
	asked := &pb.AgentEvent{Sequence: 4, Event: &pb.AgentEvent_PermissionRequest{PermissionRequest: &pb.PermissionRequest{RequestId: "r"}}}
	decided := &pb.AgentEvent{Sequence: 5, Event: &pb.AgentEvent_PermissionResolved{PermissionResolved: &pb.PermissionResolved{RequestId: "r"}}}
	prompted := func(n uint64) *pb.AgentEvent {
		return &pb.AgentEvent{Sequence: n, Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: "hi"}}}
	}
	w := &watcher{asked: map[string]bool{}, may: make(chan struct{})}
	close(w.may)
	w.reader = reader{shown: 6, show: w.show}
	feed := position{at: 4, writer: lines.New("s"), asked: []*pb.AgentEvent{asked}}
	w.showOnce(t.Context(), newItem(&pb.AgentEvent{Event: asked.GetEvent()}, nil)) // without a number, like the daemon's repetitions of requests
	if !w.asked["r"] {
		t.Error("a repeated request is not shown")
	}
	for _, e := range []*pb.AgentEvent{decided, prompted(6), prompted(7)} {
		w.showOnce(t.Context(), feed.next(e))
	}
	if w.asked["r"] || len(w.lines) != 1 || len(feed.asked) > 0 {
		t.Errorf("requests %v, %d lines, %d repeated", w.asked, len(w.lines), len(feed.asked))
	}
}

// A page that reads nothing leaves the feed alone, and continues from the journal at its position.
func TestReaderIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHistory()
		all, a := &feeds{all: map[feedKey]*feed{}}, &account{Daemon: h}
		quick, slow := watch(all, a, 0), watch(all, a, 0)
		close(quick.may)
		synctest.Wait() // both follow the feed
		for range 3 * outboxItems {
			h.add(&pb.AgentEvent{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: "hi"}}})
			synctest.Wait()
		}
		if len(quick.lines) != 3*outboxItems || len(slow.lines) > 0 {
			t.Errorf("the quick page has %d lines, the slow one %d", len(quick.lines), len(slow.lines))
		}
		if h.streams != 1 {
			t.Errorf("%d streams are open", h.streams)
		}
		close(slow.may)
		synctest.Wait()
		if strings.Join(slow.lines, "\n") != strings.Join(quick.lines, "\n") {
			t.Errorf("the slow page has %d lines", len(slow.lines))
		}
		quick.stop()
		slow.stop()
		<-quick.err
		<-slow.err
	})
}

// The end of a stream, for example when its token is revoked, ends all of its pages with the reason.
func TestReadersEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHistory()
		all, a := &feeds{all: map[feedKey]*feed{}}, &account{Daemon: h}
		pages := []*watcher{watch(all, a, 0), watch(all, a, 0), watch(all, a, 0)}
		synctest.Wait()
		h.end(ErrUnauthenticated)
		for _, p := range pages {
			if err := <-p.err; !errors.Is(err, ErrUnauthenticated) {
				t.Errorf("ended with %v", err)
			}
		}
	})
}
