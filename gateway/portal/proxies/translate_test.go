package proxies

import (
	"fmt"
	"strings"
	"testing"

	"betcode/gateway/portal/wire"
	pb "betcode/proto/betcode/v1"
)

func decoded(t *testing.T, frame string) wire.Message {
	m, err := wire.Decode(wire.FromProxy, []byte(frame))
	if err != nil {
		t.Fatal(frame, err)
	}
	return m
}

// Requests that a daemon would refuse are not sent to it: a refusal would end the call, and a proxy
// does not repeat requests.
func TestIgnored(t *testing.T) {
	t.Parallel()
	tr := newTranslator(sessionID, wire.G3)
	for frame, want := range map[string]string{
		`{"type":"PermissionRequest","request_id":"","tool_name":"B","input":{}}`:                                           "empty",
		`{"type":"PermissionRequest","request_id":"a","tool_name":"","input":{}}`:                                           "empty",
		`{"type":"PermissionRequest","request_id":"` + strings.Repeat("a", 256) + `","tool_name":"B","input":{}}`:           "too long",
		`{"type":"PermissionRequest","request_id":"a","tool_name":"B","input":[]}`:                                          "not an object",
		`{"type":"InputAck","session_id":"` + sessionID + `","ack_seq":0}`:                                                  "no number",
		`{"type":"SessionUpdate","session_id":"0b0e8a10-0000-4000-8000-00000000000b"}`:                                      "another session",
		`{"type":"InputProgressAck","session_id":"` + sessionID + `","client_msg_id":"` + sessionID + `","stage":"failed"}`: "another session or input",
		`{"type":"SequencedOutput","seq":1,"content":"` + strings.Repeat("x", maxLine) + `"}`:                               "20 MiB",
		`{"type":"Wizard"}`: "not known",
		`{"type":"FileDownloadResponse","request_id":"x","success":true}`: "nothing was asked",
	} {
		if r, why := tr.request(decoded(t, frame)); r != nil || !strings.Contains(why, want) {
			t.Errorf("%.100s: %v %q", frame, r, why)
		}
	}
}

// An input is sent once in a connection. Another text under the same number is another input.
func TestInputsOnce(t *testing.T) {
	t.Parallel()
	tr := newTranslator(sessionID, wire.G3)
	input := func(seq uint64, content, key string) wire.Message {
		return tr.message(&pb.ProxyEvent{Event: &pb.ProxyEvent_Input{Input: &pb.ProxyInput{Seq: seq, Content: content, IdempotencyKey: key}}})
	}
	for i, c := range []struct {
		seq          uint64
		content, key string
		given        bool
	}{
		{1, "a", "k", true}, {2, "a", "l", true}, {1, "a", "k", false}, {2, "a", "l", false}, {1, "b", "k", true}, {2, "a", "m", true}, {3, "", "", true},
	} {
		if m := input(c.seq, c.content, c.key); (m != nil) != c.given {
			t.Errorf("case %d: %v", i, m)
		}
	}
	for i := range uint64(3 * maxKnown) {
		if input(i, fmt.Sprint(i), "") == nil {
			t.Fatal("not given:", i)
		}
	}
	if len(tr.given) != maxKnown || len(tr.seqs) != maxKnown || len(tr.oldest) != maxKnown {
		t.Errorf("%d, %d, %d are remembered", len(tr.given), len(tr.seqs), len(tr.oldest))
	}
}

// FuzzTranslator: for any frames and events the translator does not panic, and returns only messages
// that the generation knows.
func FuzzTranslator(f *testing.F) {
	f.Add(uint8(1), []byte(`{"type":"InputAck","session_id":"`+sessionID+`","ack_seq":1}`), uint64(1), "hello", "key", []byte(`{}`), []byte(`[{"type":"a","destination":"b"}]`))
	f.Add(uint8(3), []byte(`{"type":"SequencedOutput","seq":0,"content":null}`), uint64(0), "\xff", sessionID, []byte(`x`), []byte(`[1]`))
	f.Fuzz(func(t *testing.T, generation uint8, frame []byte, seq uint64, content, key string, input, permissions []byte) {
		d := wire.Dialect(1 + generation%3)
		tr := newTranslator(sessionID, d)
		for _, e := range []*pb.ProxyEvent{
			{Event: &pb.ProxyEvent_Input{Input: &pb.ProxyInput{Seq: seq, Content: content, IdempotencyKey: key}}},
			{Event: &pb.ProxyEvent_OutputTaken{OutputTaken: &pb.ProxyOutputTaken{Seq: seq}}},
			{Event: &pb.ProxyEvent_Decision{Decision: &pb.ProxyDecision{RequestId: key, Allow: seq%2 == 0, Input: input, Permissions: permissions, Reason: content}}},
			{Event: &pb.ProxyEvent_Interrupt{}},
			{Event: &pb.ProxyEvent_Terminate{Terminate: &pb.ProxyTerminate{Reason: content}}},
			{},
		} {
			if m := tr.message(e); m != nil && !wire.Knows(d, wire.ToProxy, m) {
				t.Errorf("%s is told %#v", d, m)
			}
		}
		m, err := wire.Decode(wire.FromProxy, frame)
		if err != nil {
			return
		}
		r, why := tr.request(m)
		if (r == nil) == (why == "") {
			t.Errorf("%s gives %v and %q", frame, r, why)
		}
		if kindOf(m) == "" {
			t.Error("a message has no name")
		}
	})
}
