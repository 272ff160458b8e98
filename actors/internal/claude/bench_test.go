package claude

import (
	"fmt"
	"strings"
	"testing"
)

func BenchmarkTextDelta(b *testing.B) {
	var s State
	var delta []byte
	for _, e := range transcripts(b)["01_text_turn"] {
		if e.Dir != "out" {
			continue
		}
		s, _ = Translate(s, e.Line, e.at())
		if strings.Contains(string(e.Line), "text_delta") {
			delta = e.Line
			break
		}
	}
	b.SetBytes(int64(len(delta)))
	b.ReportAllocs()
	for b.Loop() {
		s, _ = Translate(s, delta, recorded)
	}
}

func BenchmarkTranscripts(b *testing.B) {
	lines := outputs(b)
	size := 0
	for _, l := range lines {
		size += len(l)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		var s State
		for _, l := range lines {
			s, _ = Translate(s, l, recorded)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(lines)), "ns/line")
}

func BenchmarkMegabyte(b *testing.B) {
	text := strings.Repeat("all work and no play \\n", 1<<20/22)
	for name, line := range map[string]string{
		"text":   fmt.Sprintf(`{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"%s"}]}}`, text),
		"write":  fmt.Sprintf(`{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Write","input":{"content":"%s"}}]}}`, text),
		"result": fmt.Sprintf(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"%s"}]},"tool_use_result":{"stdout":"%s"}}`, text, text),
		"asked":  fmt.Sprintf(`{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Write","input":{"content":"%s"}}}`, text),
		"raw":    fmt.Sprintf(`{"type":"novel","text":"%s"}`, text),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				Translate(State{}, []byte(line), recorded)
			}
		})
	}
}

func BenchmarkMarshalState(b *testing.B) {
	var s State
	for _, l := range fragments(b) {
		s, _ = Translate(s, l, recorded)
	}
	b.SetBytes(int64(len(s.Marshal())))
	for b.Loop() {
		s.Marshal()
	}
}
