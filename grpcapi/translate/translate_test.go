package translate

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// session is the id of a session.
const session = "3f2a0000-0000-4000-8000-000000000001"

// each calls f with every value of an enum, and with an unknown one.
func each[E protoreflect.Enum](zero E, f func(n protoreflect.EnumNumber, known bool)) {
	values := zero.Descriptor().Values()
	for i := range values.Len() {
		f(values.Get(i).Number(), true)
	}
	f(9999, false)
}

func TestDecisionsAreTheSameNumbers(t *testing.T) {
	each(pb.PermissionDecision(0), func(n protoreflect.EnumNumber, known bool) {
		got, err := decisionIn("test", pb.PermissionDecision(n))
		if known && n != 0 {
			if err != nil || int(got) != int(n) {
				t.Errorf("decision %d becomes %d, %v", n, got, err)
			}
		} else if err == nil {
			t.Errorf("decision %d is taken for %d", n, got)
		}
	})
}

func TestHistoryPolicies(t *testing.T) {
	seen := map[messages.History]bool{}
	each(pb.HistoryPolicy(0), func(n protoreflect.EnumNumber, known bool) {
		got, err := HistoryIn(pb.HistoryPolicy(n), 0)
		if known != (err == nil) {
			t.Errorf("policy %d: %v, %v", n, got, err)
		}
		if err == nil && n != 0 && seen[got] {
			t.Errorf("policy %d is the same as another", n)
		}
		seen[got] = seen[got] || n != 0
	})
	if got, _ := HistoryIn(pb.HistoryPolicy_HISTORY_POLICY_UNSPECIFIED, 7); got != messages.HistoryFromSequence {
		t.Errorf("unspecified with a number is %v", got)
	}
	if got, _ := HistoryIn(pb.HistoryPolicy_HISTORY_POLICY_UNSPECIFIED, 0); got != messages.HistoryPendingOnly {
		t.Errorf("unspecified is %v", got)
	}
}

func TestLockActions(t *testing.T) {
	want := map[pb.LockAction]messages.Request{
		pb.LockAction_LOCK_ACTION_RELEASE: messages.ReleaseLock{Session: session, Client: "c"},
		pb.LockAction_LOCK_ACTION_REFUSE:  messages.RefuseLock{Session: session, Client: "c"},
	}
	each(pb.LockAction(0), func(n protoreflect.EnumNumber, _ bool) {
		m, err := LockIn(&pb.InputLockAction{Action: pb.LockAction(n)}, session, "c")
		if w := want[pb.LockAction(n)]; m != w || (w == nil) != (err != nil) {
			t.Errorf("action %d: %v, %v", n, m, err)
		}
	})
}

func TestRunAndInputStatesAreNamed(t *testing.T) {
	names := map[string]bool{}
	for s := messages.InputAccepted; s <= messages.InputFolded; s++ {
		names[inputStateOut(s)] = true
	}
	if len(names) != int(messages.InputFolded)+1 {
		t.Errorf("names %v", names)
	}
	for _, test := range []struct {
		run  messages.RunRecord
		want pb.RunState
	}{
		{messages.RunRecord{State: messages.RunIntended}, pb.RunState_RUN_STATE_UNSPECIFIED},
		{messages.RunRecord{State: messages.RunRunning}, pb.RunState_RUN_STATE_STARTED},
		{messages.RunRecord{State: messages.RunFinished}, pb.RunState_RUN_STATE_LOST},
		{messages.RunRecord{State: messages.RunFinished, Exit: messages.Exit{Known: true}}, pb.RunState_RUN_STATE_EXITED},
	} {
		if got := runStateOut(&test.run); got != test.want {
			t.Errorf("%+v is %v, want %v", test.run, got, test.want)
		}
	}
}

func TestStartIn(t *testing.T) {
	got, err := StartIn(&pb.StartConversation{
		SessionId: strings.ToUpper(session), WorkingDirectory: "/home/me/../me/code", Model: "opus",
		AllowedTools: []string{"Read"}, DeniedTools: []string{"Bash(rm *)"}, PlanMode: true,
		Metadata: map[string]string{"k": "v"}, Name: " fix it ", Environment: map[string]string{"PATH": "/bin"},
	}, "cli")
	if err != nil {
		t.Fatal(err)
	}
	want := messages.StartSession{
		Session: session, Client: "cli", Name: "fix it", WorkingDirectory: "/home/me/code", Model: "opus",
		PermissionMode: "plan", AllowedTools: []string{"Read"}, DeniedTools: []string{"Bash(rm *)"},
		Metadata: map[string]string{"k": "v"}, Environment: map[string]string{"PATH": "/bin"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(), cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".ask" }, cmp.Ignore())); diff != "" {
		t.Error(diff)
	}
	made, err := StartIn(&pb.StartConversation{WorkingDirectory: "/tmp"}, "cli")
	if err != nil || wire.CanonicalUUID(string(made.Session)) == "" {
		t.Errorf("made up %q, %v", made.Session, err)
	}
}

func TestRepeat(t *testing.T) {
	for _, c := range []struct {
		in   *pb.Repeat
		want *messages.Repeat
	}{{nil, nil}, {&pb.Repeat{}, &messages.Repeat{}}, {&pb.Repeat{Max: 3, Marker: "OVER"}, &messages.Repeat{Max: 3, Marker: "OVER"}}} {
		got, err := InputIn(&pb.UserMessage{Content: "x", Repeat: c.in}, session, "c")
		if err != nil || !cmp.Equal(got.Repeat, c.want) {
			t.Errorf("%v is %+v, %v", c.in, got.Repeat, err)
		}
	}
	at := time.Date(2026, 11, 20, 6, 0, 0, 0, time.UTC)
	r := messages.Repetition{Key: "k", Sent: 2, Max: 3, Marker: "OVER", Since: at}
	v := ViewOut(messages.SessionView{Record: messages.SessionRecord{Repetition: r}}, at).GetRepetition()
	if v.GetIdempotencyKey() != "k" || v.GetIteration() != 2 || v.GetMax() != 3 || v.GetMarker() != "OVER" || !v.GetSince().AsTime().Equal(at) {
		t.Errorf("%+v is %v", r, v)
	}
	if v := ViewOut(messages.SessionView{}, at).GetRepetition(); v != nil {
		t.Errorf("none is %v", v)
	}
}

// TestMalformedRequests checks a part of the text for each malformed request.
func TestMalformedRequests(t *testing.T) {
	start := func(s *pb.StartConversation) error { _, err := StartIn(s, "c"); return err }
	input := func(m *pb.UserMessage) error { _, err := InputIn(m, session, "c"); return err }
	answer := func(m *pb.PermissionResponse) error { _, err := AnswerIn(m, session, "c"); return err }
	question := func(m *pb.UserQuestionResponse) error { _, err := QuestionIn(m, session, "c"); return err }
	settings := func(m *pb.SessionSettingsChange) error { _, err := SettingsIn(m, session, "c"); return err }
	admin := func(m *pb.AnswerPermissionRequest) error { _, err := AdminAnswerIn(m, "c"); return err }
	object, _ := structpb.NewStruct(map[string]any{"a": 1})
	for name, test := range map[string]struct {
		err  error
		says string
	}{
		"no place":           {start(&pb.StartConversation{}), "working_directory"},
		"relative":           {start(&pb.StartConversation{WorkingDirectory: "code"}), "absolute"},
		"no UUID":            {start(&pb.StartConversation{SessionId: "abc"}), "UUID"},
		"UUID in braces":     {start(&pb.StartConversation{SessionId: "{" + session + "}"}), "UUID"},
		"unknown mode":       {start(&pb.StartConversation{WorkingDirectory: "/", PermissionMode: "yolo"}), "acceptEdits"},
		"two modes":          {start(&pb.StartConversation{WorkingDirectory: "/", PlanMode: true, PermissionMode: "default"}), "contradict"},
		"model is an option": {start(&pb.StartConversation{WorkingDirectory: "/", Model: "--dangerously-skip-permissions"}), "dash"},
		"tool is an option":  {start(&pb.StartConversation{WorkingDirectory: "/", AllowedTools: []string{"-x"}}), "dash"},
		"empty tool":         {start(&pb.StartConversation{WorkingDirectory: "/", DeniedTools: []string{"Bash", " "}}), "entry 2"},
		"control characters": {start(&pb.StartConversation{WorkingDirectory: "/", Model: "a\x00b"}), "control"},
		"long name":          {start(&pb.StartConversation{WorkingDirectory: "/", Name: strings.Repeat("n", 201)}), "200"},
		"no variable":        {start(&pb.StartConversation{WorkingDirectory: "/", Environment: map[string]string{"A=B": "x"}}), "variable"},
		"long variable":      {start(&pb.StartConversation{WorkingDirectory: "/", Environment: map[string]string{"A": strings.Repeat("x", 33<<10)}}), "variable"},
		"metadata":           {start(&pb.StartConversation{WorkingDirectory: "/", Metadata: map[string]string{"": "x"}}), "metadata"},
		"NUL in path":        {start(&pb.StartConversation{WorkingDirectory: "/a\x00"}), "path"},
		"empty message":      {input(&pb.UserMessage{Content: " \n"}), "empty"},
		"bad key":            {input(&pb.UserMessage{Content: "x", IdempotencyKey: "1"}), "UUID"},
		"long message":       {input(&pb.UserMessage{Content: strings.Repeat("x", MaxContentBytes+1)}), "attach"},
		"empty attachment":   {input(&pb.UserMessage{Attachments: []*pb.Attachment{{Filename: "a", MimeType: "a/b"}}}), "empty"},
		"attachment's path":  {input(&pb.UserMessage{Attachments: []*pb.Attachment{{Filename: "../a", MimeType: "a/b", Data: []byte{1}}}}), "directory"},
		"attachment's type":  {input(&pb.UserMessage{Attachments: []*pb.Attachment{{Filename: "a", Data: []byte{1}}}}), "mime_type"},
		"no decision":        {answer(&pb.PermissionResponse{RequestId: "r"}), "ALLOW_ONCE"},
		"no request":         {answer(&pb.PermissionResponse{Decision: pb.PermissionDecision_DENY}), "request_id"},
		"edit without input": {answer(&pb.PermissionResponse{RequestId: "r", Decision: pb.PermissionDecision_ALLOW_WITH_EDIT}), "updated_input"},
		"input without edit": {answer(&pb.PermissionResponse{RequestId: "r", Decision: pb.PermissionDecision_ALLOW_ONCE, UpdatedInput: object}), "ALLOW_WITH_EDIT"},
		"no answers":         {question(&pb.UserQuestionResponse{QuestionId: "q"}), "answers"},
		"nothing to change":  {settings(&pb.SessionSettingsChange{}), "model"},
		"both":               {admin(&pb.AnswerPermissionRequest{RequestId: "r", Decision: pb.PermissionDecision_DENY, Answers: map[string]string{"q": "a"}}), "contradict"},
	} {
		t.Run(name, func(t *testing.T) {
			if test.err == nil {
				t.Fatal("accepted")
			}
			e := wire.AsError(test.err)
			if e.Kind != messages.Invalid {
				t.Errorf("kind %v", e.Kind)
			}
			if e.Hint == "" || !strings.HasSuffix(e.Hint, ".") {
				t.Errorf("hint %q is no sentence", e.Hint)
			}
			if !strings.Contains(wire.Sentence(e), test.says) {
				t.Errorf("%q does not say %q", wire.Sentence(e), test.says)
			}
		})
	}
}

func TestAnswerIn(t *testing.T) {
	object, err := structpb.NewStruct(map[string]any{"command": "ls && echo <b>", "n": 3, "deep": map[string]any{"x": nil}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := AnswerIn(&pb.PermissionResponse{
		RequestId: "r", Decision: pb.PermissionDecision_ALLOW_WITH_EDIT, IdempotencyKey: "an edited input of an existing client",
		UpdatedInput: object, ApplySuggestions: []uint32{1},
	}, session, "c")
	if err != nil {
		t.Fatal(err)
	}
	if m.Key != "" || len(m.Suggestions) != 1 || m.Suggestions[0] != 1 {
		t.Errorf("key %q, suggestions %v", m.Key, m.Suggestions)
	}
	many := &pb.PermissionResponse{RequestId: "r", Decision: pb.PermissionDecision_ALLOW_ONCE, ApplySuggestions: make([]uint32, 65)}
	if _, err := AnswerIn(many, session, "c"); messages.KindOf(err) != messages.Invalid {
		t.Errorf("65 suggestions: %v", err)
	}
	if want := `{"command":"ls && echo <b>","deep":{"x":null},"n":3}`; string(m.Updated) != want {
		t.Errorf("updated %s, want %s", m.Updated, want)
	}
}

func TestPendingOut(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	got := PendingOut(messages.PermissionRecord{
		Request: "req", Session: session, Tool: "AskUserQuestion", Question: true, ReceivedAt: at,
		Input: []byte(`{"questions":[{"question":"A?","options":[{"label":"x","description":"d"}],"multiSelect":true},{"question":"B?"}]}`),
	}, messages.SessionRecord{Name: "name"})
	if got.GetReceivedAt().AsTime() != at || got.GetExpiresAt() != nil {
		t.Errorf("times %v %v", got.GetReceivedAt(), got.GetExpiresAt())
	}
	want := []*pb.UserQuestion{
		{QuestionId: "req/0", Question: "A?", MultiSelect: true, Options: []*pb.QuestionOption{{Value: "x", Label: "x", Description: "d"}}},
		{QuestionId: "req/1", Question: "B?"},
	}
	if diff := cmp.Diff(want, got.GetQuestions(), protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
	for raw, want := range map[string]string{`[1,2]`: "value", `not json`: "value", `{"a":1}`: "a"} {
		if _, ok := StructOut([]byte(raw)).GetFields()[want]; !ok {
			t.Errorf("%s: %v", raw, StructOut([]byte(raw)))
		}
	}
}

func TestHealthOut(t *testing.T) {
	serving := messages.ComponentHealth{Name: "sqlite", Serving: true, Critical: true}
	for name, test := range map[string]struct {
		components []messages.ComponentHealth
		want       pb.ServingStatus
		degraded   bool
		reason     string
	}{
		"all well": {[]messages.ComponentHealth{serving}, pb.ServingStatus_SERVING, false, ""},
		"degraded": {
			[]messages.ComponentHealth{serving, {Name: "tunnel", Reason: "Relay tunnel not connected"}},
			pb.ServingStatus_SERVING, true, "Relay tunnel not connected.",
		},
		"down": {
			[]messages.ComponentHealth{{Name: "sqlite", Critical: true, Reason: "Disk full."}, {Name: "tunnel", Reason: "x"}},
			pb.ServingStatus_NOT_SERVING, false, "Disk full. x.",
		},
	} {
		got := HealthOut(messages.HealthView{Components: test.components})
		if got.GetOverallStatus() != test.want || got.GetDegraded() != test.degraded || got.GetDegradedReason() != test.reason {
			t.Errorf("%s: %v", name, got)
		}
	}
}
