package actors

import (
	"fmt"
	"testing"
	"unsafe"

	"betcode/messages"
)

// However many clients are attached, an event is encoded once: every outbox holds the
// same bytes in the same memory.
func TestEncodedOnce(t *testing.T) {
	s := raise(t, newMemoryStore())
	s.open(sessionN(1))
	var clients []*reader
	for i := range 50 {
		name := fmt.Sprint("client-", i)
		clients = append(clients, s.follow(messages.Attach{
			Session: sessionN(1), Client: messages.ClientID(name), Stream: name, History: messages.HistoryNone, Observer: i > 0,
		}))
	}
	ack := must[messages.InputAcknowledged](s, messages.SendInput{Session: sessionN(1), Client: "client-0", Key: "key", Content: "hello"})
	places := map[*byte]bool{}
	for i, c := range clients {
		s.eventually(fmt.Sprintf("client %d has the message", i), func() bool {
			for _, e := range c.got() {
				if e.Seq == ack.Seq {
					places[unsafe.SliceData(e.Bytes)] = true
					return true
				}
			}
			return false
		})
	}
	if len(places) != 1 {
		t.Errorf("one event is in %d places", len(places))
	}
}
