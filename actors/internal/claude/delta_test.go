package claude

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// agree checks that a line of a delta means to the scanner what it means to the
// decoder, and reports whether the scanner took it.
func agree(t *testing.T, raw []byte) bool {
	t.Helper()
	var d delta
	if !utf8.Valid(raw) || !scanDelta(raw, &d) {
		return false
	}
	var scanned, decoded line
	d.fill(&scanned, &State{})
	if err := json.Unmarshal(raw, &decoded); err != nil {
		t.Fatalf("%s: the decoder says %v", raw, err)
	}
	decoded.UUID = "" // names finished lines; a delta does not need it
	if !reflect.DeepEqual(scanned, decoded) {
		t.Fatalf("%s:\nscanned %+v\ndecoded %+v", raw, scanned, decoded)
	}
	if d.clear(&scanned); !reflect.DeepEqual(scanned, line{}) {
		t.Fatalf("%s: %+v stays", raw, scanned)
	}
	return true
}

const plainDelta = `{"type":"stream_event","event":{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"a\nb — \"c\""}},` +
	`"session_id":"44a6f869-7d47-46d4-a0e2-6a0447eed53a","parent_tool_use_id":null,"uuid":"u","api_message_id":"msg_1"}`

// oddDeltas are for the decoder: they mean something else than they seem to, or
// nothing.
var oddDeltas = []string{
	strings.Replace(plainDelta, `"index":1`, `"index":01`, 1),
	strings.Replace(plainDelta, `"index":1`, `"index":1.5`, 1),
	strings.Replace(plainDelta, `"index":1`, `"index":-1`, 1),
	strings.Replace(plainDelta, `"index":1`, `"index":1,"Index":2`, 1),
	strings.Replace(plainDelta, `"index":1`, `"index":1,"index":2`, 1),
	strings.Replace(plainDelta, `"uuid":"u"`, `"UUID":"u"`, 1),
	strings.Replace(plainDelta, `"uuid":"u"`, `"\u0075uid":"u"`, 1),
	strings.Replace(plainDelta, `"uuid":"u"`, `"subtype":"u"`, 1),
	strings.Replace(plainDelta, `"uuid":"u"`, `"uuid":null`, 1),
	strings.Replace(plainDelta, `\n`, `\u00e9`, 1),
	strings.Replace(plainDelta, `\n`, `\x`, 1),
	strings.Replace(plainDelta, `\n`, "\n", 1),
	strings.Replace(plainDelta, `text_delta`, `signature_delta`, 1),
	strings.Replace(plainDelta, `"type":"stream_event",`, ``, 1),
	plainDelta + "}", plainDelta + " ", plainDelta[:len(plainDelta)-1], plainDelta + plainDelta, `{"type":"stream_event"}`, `{}`, `{`, ``,
}

// TestDelta: the scanner takes the lines that agents write, and leaves the odd
// ones alone.
func TestDelta(t *testing.T) {
	if !agree(t, []byte(plainDelta)) || !agree(t, []byte(strings.ReplaceAll(plainDelta, `":`, `": `))) {
		t.Error("the scanner does not take a plain delta")
	}
	for _, odd := range oddDeltas {
		if agree(t, []byte(odd)) {
			t.Errorf("the scanner takes %s", odd)
		}
	}
	taken, deltas := 0, 0
	for _, l := range outputs(t) {
		for _, piece := range []string{"text_delta", "thinking_delta", "input_json_delta"} {
			if strings.Contains(string(l), `"`+piece+`"`) {
				deltas++
			}
		}
		if agree(t, l) {
			taken++
		}
	}
	if taken < deltas*9/10 {
		t.Errorf("the scanner takes %d of %d deltas that were recorded", taken, deltas)
	}
}

// TestDeltaLeavesNothing: members of one line do not appear in the next.
func TestDeltaLeavesNothing(t *testing.T) {
	lines := append(fragments(t), outputs(t)...)
	for i, l := range lines {
		var used, fresh translation
		used.raw, used.at = []byte(plainDelta), recorded
		used.translate()
		used.clear()
		used.s, used.raw, used.at = State{}, l, recorded
		fresh.s, fresh.raw, fresh.at = State{}, l, recorded
		used.translate()
		fresh.translate()
		if !reflect.DeepEqual(used.s, fresh.s) || !slices.EqualFunc(used.items, fresh.items, func(a, b Item) bool { return render(a) == render(b) }) {
			t.Fatalf("line %d, %s, means something else behind a delta", i, l)
		}
	}
}

// FuzzDelta: whatever the scanner takes, the decoder takes, and it means the
// same.
func FuzzDelta(f *testing.F) {
	f.Add([]byte(plainDelta))
	for _, odd := range oddDeltas {
		f.Add([]byte(odd))
	}
	for _, l := range outputs(f) {
		f.Add(l)
	}
	f.Fuzz(func(t *testing.T, raw []byte) { agree(t, raw) })
}
