package presence

import (
	"fmt"
	"strings"
	"testing"

	"betcode/messages"
)

// However many observe a session, a client that may write can attach; no client takes all places.
func TestAdmission(t *testing.T) {
	fill := func(p *Presence, client func(n int) messages.ClientID, observer bool) (n int) {
		for ; p.Admits(client(n), observer) == nil; n++ {
			if n > MaxStreams {
				t.Fatal("the streams have no bound")
			}
			p.streams[fmt.Sprint(observer, n)] = Stream{Client: client(n), Observer: observer}
		}
		return n
	}
	many := func(n int) messages.ClientID { return messages.ClientID(fmt.Sprint("c", n/100)) }
	owner := func(int) messages.ClientID { return "owner" }

	p := Presence{streams: map[string]Stream{}}
	if n := fill(&p, many, true); n != MaxStreams-WriterStreams {
		t.Errorf("%d streams observe", n)
	}
	if n := fill(&p, owner, false); n != WriterStreams {
		t.Errorf("%d streams write", n)
	}
	one := Presence{streams: map[string]Stream{}}
	if n := fill(&one, owner, false); n != ClientStreams {
		t.Errorf("%d streams of one client", n)
	}
	if refusal := one.Admits("owner", false); refusal == nil || !refusal.OfClient {
		t.Errorf("refused with %+v", refusal)
	}
	if refusal := one.Admits("another", false); refusal != nil {
		t.Errorf("another client is refused: %+v", refusal)
	}
}

func TestFullError(t *testing.T) {
	for told, r := range map[string]Refusal{"7 streams are attached": {Streams: 7}, "7 streams of this client": {Streams: 7, OfClient: true}} {
		e := FullError("s1", r)
		if e.Kind != messages.Exhausted || e.Details["session_id"] != "s1" || e.Hint == "" || !strings.Contains(e.Error(), told) {
			t.Errorf("%+v", e)
		}
	}
}
