package lines

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"

	pb "betcode/proto/betcode/v1"
)

// needed lists the members without which published readers do not decode a line, and show its JSON
// instead. Measured with the crate claude-codes, whose types the proxies of all generations and the
// pages of the third have, in versions 2.1.20, 2.1.53, 2.1.117, 2.1.155, 2.1.166, 2.1.240, 2.1.300 and
// 2.1.316: a line of each kind was decoded without each of its members, and with null in its place. A
// member is listed if one version refuses that. Content is keyed by the type of its block.
var needed = map[string][]string{
	"system": {"subtype string"},
	"assistant": {
		"session_id string", "message object", "message.id string", "message.role string", "message.model string", "message.content array",
	},
	"user":                {"session_id string", "message object", "message.role string", "message.content array"},
	"content text":        {"text string"},
	"content thinking":    {"thinking string", "signature string"},
	"content tool_use":    {"id string", "name string", "input any"},
	"content tool_result": {"tool_use_id string"},
	"result": {
		"session_id string", "subtype string", "is_error bool", "duration_ms number", "duration_api_ms number", "num_turns number",
		"total_cost_usd number", "permission_denials array", "usage.input_tokens number", "usage.output_tokens number",
		"usage.cache_creation_input_tokens number", "usage.cache_read_input_tokens number", "usage.service_tier string",
		"usage.server_tool_use.web_search_requests number", "usage.server_tool_use.web_fetch_requests number",
	},
	"error":  {"error object", "error.type string", "error.message string"},
	"portal": {"content array"},
}

// usageOf lists members that may be absent from a message, but not null.
var usageOf = []string{"input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"}

// TestReadersDecodeLines checks that lines of all kinds have the members that readers need.
func TestReadersDecodeLines(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	script, err := os.ReadFile("testdata/turn.txt")
	if err != nil {
		t.Fatal(err)
	}
	w := New(session)
	for line := range strings.Lines(string(script)) {
		if raw, ok := strings.CutPrefix(line, "+ "); ok {
			e := &pb.AgentEvent{}
			if err := protojson.Unmarshal([]byte(raw), e); err != nil {
				t.Fatal(line, err)
			}
			checkLines(t, w.Lines(e), seen)
		}
	}
	for seed := range uint64(300) {
		w := New(session)
		for _, e := range anyEvents(rand.New(rand.NewPCG(seed, 2))) {
			checkLines(t, w.Lines(e), seen)
		}
	}
	for kind := range needed {
		if !seen[kind] {
			t.Errorf("no line has %s", kind)
		}
	}
}

func checkLines(t *testing.T, all []Line, seen map[string]bool) {
	t.Helper()
	for _, l := range all {
		var line map[string]any
		if err := json.Unmarshal(l.JSON, &line); err != nil {
			t.Fatal(err)
		}
		lacks(t, l.Kind, line, seen)
		message, _ := line["message"].(map[string]any)
		content, _ := message["content"].([]any)
		for _, each := range content {
			block, _ := each.(map[string]any)
			lacks(t, fmt.Sprint("content ", block["type"]), block, seen)
		}
		if u, ok := message["usage"].(map[string]any); ok {
			for _, name := range usageOf {
				if v, there := u[name]; there && v == nil {
					t.Errorf("usage.%s is null in %s", name, l.JSON)
				}
			}
		}
	}
}

// lacks returns the required members that value lacks.
func lacks(t *testing.T, kind string, value map[string]any, seen map[string]bool) {
	t.Helper()
	want, known := needed[kind]
	if !known {
		t.Errorf("no reader is known to decode %q", kind)
	}
	seen[kind] = true
	for _, w := range want {
		path, is, _ := strings.Cut(w, " ")
		var v any = value
		for name := range strings.SplitSeq(path, ".") {
			of, _ := v.(map[string]any)
			v = of[name]
		}
		if got := kindOf(v); got != is && (is != "any" || v == nil) {
			t.Errorf("%s: %s is %s, want %s: %s", kind, path, got, is, strconv.Quote(fmt.Sprint(value)))
		}
	}
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "absent"
	case string:
		return "string"
	case bool:
		return "bool"
	case float64:
		return "number"
	case []any:
		return "array"
	default:
		return "object"
	}
}
