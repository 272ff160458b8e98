package proxy

import (
	"strings"
	"testing"

	"betcode/gateway/portal/wire"
)

// FuzzFrames: for any frames of a backend, the proxy sends only messages that its generation knows, stays
// within its bounds, and never acknowledges an input that the session does not have.
func FuzzFrames(f *testing.F) {
	f.Add(uint8(3), false, `{"type":"SequencedInput","session_id":"`+sessionID+`","seq":1,"content":"x"}`+"\n"+`{"type":"OutputAck","session_id":"`+sessionID+`","ack_seq":9}`)
	f.Add(uint8(1), true, `{"type":"PermissionResponse","request_id":"r","allow":true}`+"\n"+`{"type":"Interrupt"}`)
	f.Add(uint8(2), false, `{"type":"FileUploadStart","upload_id":"u","filename":"f","content_type":"","total_chunks":1,"total_size":1}`+"\n"+`{"type":"FileUploadChunk","upload_id":"u","chunk_index":0,"data":"YQ=="}`)
	f.Add(uint8(3), false, `{"type":"ServerShutdown","reason":"x","reconnect_delay_ms":18446744073709551615}`+"\n"+`{"type":"SessionTerminated","reason":"x"}`)
	f.Fuzz(func(t *testing.T, generation uint8, readOnly bool, script string) {
		w := newWorld(t, 1+int(generation%3), 1)
		w.with = func(c *Config) { c.ReadOnly = readOnly }
		w.connect()
		w.settle()
		for range 20 {
			w.work()
		}
		for line := range strings.Lines(script) {
			m, err := wire.Decode(wire.ToProxy, []byte(line))
			if err != nil {
				continue
			}
			if w.do(w.link.frame(m)); w.ended != nil {
				if w.ended.after < 0 || w.ended.after > maxShutdown {
					t.Errorf("stays away for %s", w.ended.after)
				}
				return
			}
			if len(w.link.inputs) > maxInputs {
				return // the shell reads no more
			}
		}
		if readOnly && len(w.asked) > 0 {
			t.Errorf("asks %v", w.asked)
		}
		w.settle()
		w.readable()
		if w.link.saved.Acked > w.link.last {
			t.Errorf("acknowledged up to %d of %d", w.link.saved.Acked, w.link.last)
		}
	})
}
