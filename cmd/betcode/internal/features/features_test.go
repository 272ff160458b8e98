package features

import (
	"strings"
	"testing"

	"betcode/config"
)

func TestWarnings(t *testing.T) {
	set := map[string]config.Feature{}
	for i, name := range []string{"context_compaction", "streaming_deltas", "tea", "subagents", "legacy_permission_format"} {
		set[name] = config.Feature{On: name != "streaming_deltas", Origin: config.Origin{Name: "f", Line: i + 1}}
	}
	var got []string
	for _, w := range Warnings(set) {
		got = append(got, w.Error())
	}
	want := `f:2:1: feature_flags.streaming_deltas: it cannot be switched off
f:3:1: feature_flags.tea: there is no such feature
f:4:1: feature_flags.subagents: it is called subagent_orchestration here
f:5:1: feature_flags.legacy_permission_format: it is deprecated and will be removed in v1.0.0; use PermissionResponse.updated_input (field 100)`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}
