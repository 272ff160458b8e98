package claude

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"betcode/messages/claudecode"
)

// Verdicts of the table of SDK names, testdata/sdk.txt.
const (
	verdictKnown    = "known"    // decoded into something; of a request: the codec makes it, or decides it
	verdictUnused   = "unused"   // understood, and not used: no event, no member that is read or sent
	verdictRaw      = "kept raw" // an event RawLine
	verdictAnswered = "answered" // as the SDK does without a handler
	verdictRefused  = "refused"  // with a control error
)

// sdkRow is a row of the table: kind, name, verdict.
type sdkRow struct{ kind, name, verdict string }

var sdkLine = regexp.MustCompile(`^(message|member|request|argument|answer) +(\S+) +(.+)$`)

// TestSDK compares the codec with the table of SDK names: each verdict is what the codec
// does. -update judges every row; commit only what you understand.
func TestSDK(t *testing.T) {
	const file = "testdata/sdk.txt"
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	j := newSDKJudge(t)
	var out strings.Builder
	rows, counts := 0, map[string]int{}
	for line := range strings.Lines(string(b)) {
		part := sdkLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if part == nil {
			out.WriteString(line)
			continue
		}
		row := sdkRow{part[1], part[2], part[3]}
		got := j.judge(row)
		if got != row.verdict && !*update {
			t.Errorf("%s %s: the codec has %q, the table %q", row.kind, row.name, got, row.verdict)
		}
		fmt.Fprintf(&out, "%-8s %-60s %s\n", row.kind, row.name, got)
		rows, counts[got] = rows+1, counts[got]+1
	}
	if rows == 0 {
		t.Fatal("the table has no rows")
	}
	t.Log(counts)
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// sdkJudge knows what the codec does with names.
type sdkJudge struct {
	t        *testing.T
	decoded  map[string]bool            // type, or type/subtype: some line of it became more than a raw line
	sent     map[string]map[string]bool // members of the control requests that the codec makes, by subtype
	messages map[string]string          // verdicts of messages
}

func newSDKJudge(t *testing.T) *sdkJudge {
	j := &sdkJudge{t: t, decoded: map[string]bool{}, messages: map[string]string{}}
	for _, story := range slices.Concat(stories(t), recordedStories(t)) {
		var s State
		for _, l := range story {
			var items []Item
			s, items = Translate(s, []byte(l), recorded)
			if slices.ContainsFunc(items, func(i Item) bool { return !isRaw(i) }) {
				j.decoded[lineName([]byte(l))] = true
			}
		}
	}
	j.sent = sentRequests(t)
	return j
}

// recordedStories are the lines of the agent in the transcripts.
func recordedStories(t *testing.T) [][]string {
	var all [][]string
	for _, entries := range transcripts(t) {
		var lines []string
		for _, e := range entries {
			if e.Dir == "out" {
				lines = append(lines, string(e.Line))
			}
		}
		all = append(all, lines)
	}
	return all
}

// lineName is the name of a message in the table.
func lineName(l []byte) string {
	var head struct{ Type, Subtype string }
	_ = json.Unmarshal(l, &head)
	if head.Subtype != "" {
		return head.Type + "/" + head.Subtype
	}
	return head.Type
}

func isRaw(i Item) bool {
	d, ok := i.(Draft)
	return ok && d.Event.GetRaw() != nil
}

// sentRequests makes every control request that the codec can make.
func sentRequests(t *testing.T) map[string]map[string]bool {
	newest := claudecode.Of("")
	all := map[string]map[string]bool{}
	for _, l := range [][]byte{
		InterruptLine("r", true), SetModeLine("r", "plan"), SetModelLine("r", "m"), InitializeLine("r", true),
		BarrierLine("r", newest), EndSessionLine("r", newest), ApplyRulesLine("r", DelegatedRules{}),
	} {
		var line struct{ Request map[string]any }
		if err := json.Unmarshal(l, &line); err != nil {
			t.Fatal(err)
		}
		members := map[string]bool{}
		for name := range line.Request {
			members[name] = true
		}
		all[line.Request["subtype"].(string)] = members
	}
	return all
}

func (j *sdkJudge) judge(r sdkRow) string {
	switch r.kind {
	case "message":
		return j.message(r.name)
	case "member":
		owner, path, _ := strings.Cut(r.name, ".")
		if verdict := j.message(owner); verdict != verdictKnown {
			return verdict
		}
		return known(readPath(reflect.TypeFor[line](), strings.Split(path, ".")))
	case "request":
		return j.request(r.name)
	case "argument":
		return j.argument(r.name)
	case "answer":
		subtype, path, _ := strings.Cut(r.name, ".")
		return known(subtype == "initialize" && readPath(reflect.TypeFor[initializeAnswer](), strings.Split(path, ".")))
	}
	j.t.Fatalf("a row of kind %q", r.kind)
	return ""
}

func known(is bool) string {
	if is {
		return verdictKnown
	}
	return verdictUnused
}

// message judges a line by the lines of the rules and the transcripts, and one that is
// in none by its bare name.
func (j *sdkJudge) message(name string) string {
	if verdict, judged := j.messages[name]; judged {
		return verdict
	}
	kind, subtype, _ := strings.Cut(name, "/")
	bare, err := json.Marshal(map[string]string{"type": kind, "subtype": subtype})
	if err != nil {
		j.t.Fatal(err)
	}
	_, items := Translate(State{}, bare, recorded)
	verdict := known(j.decoded[name] || slices.ContainsFunc([]string{"result", "control_request", "control_response"}, func(family string) bool {
		return name == family && j.anyDecoded(family+"/", family)
	}))
	for _, i := range items {
		if reason := rawReason(i); reason == reasonType || reason == reasonSubtype {
			verdict = verdictRaw
		}
	}
	j.messages[name] = verdict
	return verdict
}

// anyDecoded reports whether a line of one of the subtypes, or of the type, was decoded.
func (j *sdkJudge) anyDecoded(prefix, name string) bool {
	for decoded := range j.decoded {
		if decoded == name || strings.HasPrefix(decoded, prefix) {
			return true
		}
	}
	return false
}

func rawReason(i Item) string {
	if d, ok := i.(Draft); ok {
		return d.Event.GetRaw().GetReason()
	}
	return ""
}

// request judges a control request: one that arrives is decided (can_use_tool), answered
// as the SDK does, or refused; of the others the codec makes some.
func (j *sdkJudge) request(subtype string) string {
	l, err := json.Marshal(map[string]any{"type": "control_request", "request_id": "r", "request": map[string]any{"subtype": subtype}})
	if err != nil {
		j.t.Fatal(err)
	}
	_, items := Translate(State{}, l, recorded)
	for _, i := range items {
		switch i := i.(type) {
		case PermissionAsked:
			return verdictKnown
		case ControlAsked:
			answer := UnhandledLine(i)
			refused := bytes.Contains(answer, []byte("Unsupported control request subtype: "+subtype))
			switch {
			case !refused:
				return verdictAnswered
			case j.sent[subtype] != nil:
				return verdictKnown
			}
			return verdictRefused
		}
	}
	j.t.Errorf("request %s gets nothing", subtype)
	return ""
}

// argument judges a member of a control request: one that arrives and is read, or one
// that is sent.
func (j *sdkJudge) argument(name string) string {
	subtype, path, _ := strings.Cut(name, ".")
	if sent := j.sent[subtype]; sent != nil {
		return known(sent[path])
	}
	if verdict := j.request(subtype); verdict == verdictRefused {
		return verdict
	}
	if rest, ok := strings.CutPrefix(name, "can_use_tool.matched_ask_rule."); ok {
		return known(readPath(reflect.TypeFor[askRule](), strings.Split(rest, ".")))
	}
	if strings.HasPrefix(name, "can_use_tool.permission_suggestions.") {
		return verdictKnown // they go back as they came
	}
	return known(readPath(reflect.TypeFor[controlRequest](), strings.Split(path, ".")))
}

// readPath reports whether a struct has a field for a member; what json.RawMessage and
// loose hold is known as a whole.
func readPath(in reflect.Type, path []string) bool {
	for in.Kind() == reflect.Pointer || in.Kind() == reflect.Slice && in.Elem().Kind() != reflect.Uint8 {
		in = in.Elem()
	}
	switch {
	case len(path) == 0:
		return true
	case in.Kind() == reflect.Map:
		return path[0] == "*" && readPath(in.Elem(), path[1:])
	case in.Kind() != reflect.Struct:
		return false
	}
	for i := range in.NumField() {
		if name, _, _ := strings.Cut(in.Field(i).Tag.Get("json"), ","); name == path[0] {
			return readPath(in.Field(i).Type, path[1:])
		}
	}
	return false
}
