package transcript

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestKnown(t *testing.T) {
	const transcript = `{"type":"queue-operation","operation":"enqueue","content":"k-queued","commandUuid":"k-queued"}
{"type":"user","uuid":"k-began","message":{"role":"user","content":"mentions k-mentioned"}}
{"type":"assistant","uuid":"k-not-mine"}
{"type":"attachment","uuid":"x","attachment":{"type":"queued_command","source_uuid":"k-folded"}}
{"type":"queue-operation","operation":"remove","commandUuid":"k-removed"}
{"type":"user","uuid":"k-torn","messa`
	keys := []string{"k-queued", "k-began", "k-mentioned", "k-not-mine", "k-folded", "k-removed", "k-torn", "k-absent"}
	got, err := Read(strings.NewReader(transcript), keys)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"k-began", "k-folded", "k-removed"}; !slices.Equal(slices.Sorted(maps.Keys(got.Known)), want) {
		t.Errorf("found %v, want %v", got.Known, want)
	}
}
