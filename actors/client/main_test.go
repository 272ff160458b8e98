package client

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"

	"betcode/messages"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var dawn = time.Date(2026, 11, 20, 6, 0, 0, 0, time.UTC)

// numbered returns events with the numbers from first to last. Their bytes contain
// their number, so that a mix-up is found.
func numbered(first, last messages.Seq) []messages.Event {
	var events []messages.Event
	for seq := first; seq <= last; seq++ {
		events = append(events, messages.Event{Seq: seq, Bytes: binary.BigEndian.AppendUint64(nil, uint64(seq))})
	}
	return events
}

// fleeting returns an event without a number.
func fleeting(text string) []messages.Event { return []messages.Event{{Bytes: []byte(text)}} }

// showEvents writes events in short form: "1-3 lock 4".
func showEvents(events []messages.Event) string {
	var words []string
	for i := 0; i < len(events); i++ {
		first := events[i].Seq
		if first == 0 {
			var event pb.AgentEvent
			switch err := proto.Unmarshal(events[i].Bytes, &event); {
			case err == nil && event.GetSessionInfo().GetIsCompacted():
				words = append(words, "gap")
				continue
			case err == nil && event.GetLagging() != nil:
				words = append(words, "lagging")
				continue
			}
			words = append(words, string(events[i].Bytes))
			continue
		}
		for i+1 < len(events) && events[i+1].Seq == events[i].Seq+1 {
			i++
		}
		if last := events[i].Seq; last != first {
			words = append(words, fmt.Sprintf("%d-%d", first, last))
		} else {
			words = append(words, fmt.Sprint(first))
		}
	}
	return strings.Join(words, " ")
}
