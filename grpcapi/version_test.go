package grpcapi

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// TestWindow: the data can be used, and is in order.
func TestWindow(t *testing.T) {
	c, w := window.ClaudeCode, window.Client
	for _, version := range []string{c.Minimum, c.Complete, c.Tested, w.Minimum, w.Recommended} {
		if release(version) == "" {
			t.Errorf("%q is no version", version)
		}
	}
	if older(c.Complete, c.Minimum) || older(c.Tested, c.Complete) || older(w.Recommended, w.Minimum) || c.UpgradeURL == "" || w.UpgradeURL == "" {
		t.Errorf("%+v", window)
	}
}

func TestLevels(t *testing.T) {
	w := compatibility{}
	w.ClaudeCode.Minimum, w.ClaudeCode.Complete, w.ClaudeCode.Tested = "1.0.20", "1.1.0", "1.2.5"
	for version, want := range map[string]pb.CompatibilityLevel{
		"": pb.CompatibilityLevel_COMPATIBILITY_UNKNOWN, "newest": pb.CompatibilityLevel_COMPATIBILITY_UNKNOWN,
		"0.9.0": pb.CompatibilityLevel_INCOMPATIBLE, "v1.0.19": pb.CompatibilityLevel_INCOMPATIBLE,
		"1.0.20": pb.CompatibilityLevel_DEGRADED, "1.0.21-beta.1": pb.CompatibilityLevel_DEGRADED,
		"1.1.0-dev+abc": pb.CompatibilityLevel_FULLY_COMPATIBLE, "1.2.5": pb.CompatibilityLevel_FULLY_COMPATIBLE,
		"1.2.6": pb.CompatibilityLevel_LIKELY_COMPATIBLE, "1.30.0": pb.CompatibilityLevel_LIKELY_COMPATIBLE,
		"2.0.0": pb.CompatibilityLevel_COMPATIBILITY_UNKNOWN,
	} {
		if got := w.level(version); got != want {
			t.Errorf("%q is %s, want %s", version, got, want)
		}
	}
}

// exampleNegotiation has a feature of every kind.
func exampleNegotiation() negotiation {
	n := negotiation{
		server: "0.2.0", claude: "1.2.0", can: &pb.CapabilitySet{MaxMessageSize: 7},
		said:  map[string]bool{"wanted": true, "unwanted": false},
		built: func(f messages.Feature) bool { return f.Name != "unbuilt" },
		features: []messages.Feature{
			{Name: "stable", Stage: messages.StageStable, Aliases: []string{"steady"}},
			{Name: "unwanted", Stage: messages.StageStable},
			{Name: "alpha", Stage: messages.StageAlpha},
			{Name: "wanted", Stage: messages.StageBeta},
			{Name: "unbuilt", Stage: messages.StageStable},
			{Name: "newer", Stage: messages.StageStable, MinClient: "0.3.0"},
			{Name: "old", Stage: messages.StageDeprecated, Removal: "0.4.0", Replacement: "new"},
			{Name: "gone", Stage: messages.StageRemoved, Replacement: "new"},
		},
	}
	n.window.ClaudeCode.Minimum, n.window.ClaudeCode.Complete, n.window.ClaudeCode.Tested = "1.0.20", "1.1.0", "1.2.5"
	n.window.ClaudeCode.UpgradeURL, n.window.Client.UpgradeURL = "of claude", "of client"
	n.window.Client.Minimum, n.window.Client.Recommended = "0.1.5", "0.1.8"
	return n
}

func TestNegotiate(t *testing.T) {
	for name, test := range map[string]struct {
		client, claude string
		wishes         []string
		can            map[string]string
		rejected, url  string
		granted        []string
		warns          []string
	}{
		"compatible":            {client: "0.2.0", wishes: []string{"stable", "wanted", "steady", "stable"}, granted: []string{"stable", "steady", "wanted"}},
		"a build between":       {client: "0.2.0-dev+abc"},
		"too old":               {client: "0.1.0", rejected: "Client too old: v0.1.0 < required v0.1.5", url: "of client", wishes: []string{"stable"}},
		"older than advised":    {client: "0.1.7", warns: []string{"v0.1.8 is recommended: of client"}},
		"newer than the daemon": {client: "0.3.0", warns: []string{"Untested client version: v0.3.0 is newer than this daemon, v0.2.0"}},
		"no version":            {client: "nightly", warns: []string{`Untested client version: "nightly" is not a version`}},
		"another API":           {client: "0.2.0", can: map[string]string{"api_version": "v2"}, warns: []string{`Untested client version: it uses the API "v2", the daemon v1`}},
		"this API":              {client: "0.2.0", can: map[string]string{"api_version": "v1"}},
		"an old agent":          {client: "0.2.0", claude: "0.9.0", rejected: "Claude Code v0.9.0 < required v1.0.20", url: "of claude"},
		"an agent with gaps":    {client: "0.2.0", claude: "1.0.21", warns: []string{"lacks some abilities"}},
		"a new agent":           {client: "0.2.0", claude: "2.0.0", warns: []string{"Untested Claude Code version: v2.0.0; v1.2.5 was tested"}},
		"no agent":              {client: "0.2.0", claude: "-", warns: []string{"Claude Code is not found"}},
		"switched off":          {client: "0.2.0", wishes: []string{"alpha", "unwanted"}, warns: []string{"alpha disabled: it is alpha, enable via settings.json feature_flags.alpha", "unwanted disabled"}},
		"for newer clients":     {client: "0.2.0", wishes: []string{"newer"}, warns: []string{"newer needs a client of v0.3.0"}},
		"never heard of":        {client: "0.2.0", wishes: []string{"tea"}, warns: []string{"tea unknown to this daemon"}},
		"not there yet":         {client: "0.2.0", wishes: []string{"unbuilt"}, warns: []string{"unbuilt not built yet"}},
		"not there any more":    {client: "0.2.0", wishes: []string{"gone"}, warns: []string{"gone removed; use new"}},
		"on its way out":        {client: "0.2.0", wishes: []string{"old"}, granted: []string{"old"}, warns: []string{"old deprecated, goes in v0.4.0; use new"}},
	} {
		t.Run(name, func(t *testing.T) {
			n := exampleNegotiation()
			switch test.claude {
			case "":
			case "-":
				n.claude = ""
			default:
				n.claude = test.claude
			}
			got := n.answer(&pb.NegotiateRequest{ClientVersion: test.client, RequestedFeatures: test.wishes, ClientCapabilities: test.can})
			if got.GetAccepted() != (test.rejected == "") || got.GetRejectionReason() != test.rejected || got.GetUpgradeUrl() != test.url ||
				!slices.Equal(got.GetGrantedFeatures(), test.granted) || got.GetCapabilities().GetMaxMessageSize() != 7 || len(got.GetWarnings()) != len(test.warns) {
				t.Errorf("%v", got)
			}
			for i, words := range test.warns {
				if i < len(got.GetWarnings()) && !strings.Contains(got.GetWarnings()[i], words) {
					t.Errorf("%q is not in %q", words, got.GetWarnings()[i])
				}
			}
		})
	}
}

// Whatever is asked for: nothing that is off is granted, nothing is granted that was
// not asked for, and a caller that is refused something is told.
func TestNegotiateKeepsItsWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := exampleNegotiation()
		for i := range n.features {
			n.features[i].Stage = messages.Stage(rapid.IntRange(1, 5).Draw(t, "stage"))
		}
		n.claude = rapid.SampledFrom([]string{"", "1.0.0", "1.0.20", "1.2.5", "9.9.9", "x"}).Draw(t, "claude")
		r := &pb.NegotiateRequest{
			ClientVersion:     rapid.SampledFrom([]string{"", "0.1.4", "0.1.5", "0.2.0", "0.9.0", "x"}).Draw(t, "client"),
			RequestedFeatures: rapid.SliceOf(rapid.SampledFrom([]string{"stable", "steady", "unwanted", "alpha", "unbuilt", "newer", "old", "gone", "tea", ""})).Draw(t, "wishes"),
		}
		got := n.answer(r)
		if !got.GetAccepted() && (got.GetRejectionReason() == "" || got.GetUpgradeUrl() == "" || len(got.GetGrantedFeatures()) > 0) {
			t.Fatalf("%v", got)
		}
		for _, name := range got.GetGrantedFeatures() {
			i := slices.IndexFunc(n.features, func(f messages.Feature) bool { return f.Name == name || slices.Contains(f.Aliases, name) })
			if i < 0 || !n.features[i].On(n.said) || !n.built(n.features[i]) || !slices.Contains(r.GetRequestedFeatures(), name) {
				t.Fatalf("granted %s: %v", name, got)
			}
		}
		for _, wish := range r.GetRequestedFeatures() {
			told := slices.ContainsFunc(got.GetWarnings(), func(w string) bool { return strings.HasPrefix(w, wish+" ") })
			if got.GetAccepted() && !slices.Contains(got.GetGrantedFeatures(), wish) && !told {
				t.Fatalf("%q was refused in silence: %v", wish, got)
			}
		}
	})
}

func TestVersionService(t *testing.T) {
	claude, said := "2.1.300", map[string]bool{"worktree_management": true, "context_compaction": false}
	asker := &fakeAsker{answer: func(r messages.Request) (messages.Reply, error) {
		if _, ok := r.(messages.GetAgentReports); ok {
			return messages.AgentReports{Reports: []messages.AgentReport{{Model: "opus-5", Models: []string{"sonnet", "opus"}, Tools: []string{"Read", "Bash"}}, {Model: "opus-5", Models: []string{"opus"}, Tools: []string{"Bash"}}, {}}}, nil
		}
		return nil, nil
	}}
	conn, _ := serveOptions(t, Options{
		Asker: asker, Version: "0.1.0", ClaudeVersion: func() string { return claude }, Features: func() map[string]bool { return said }, MaxMessageBytes: 5 << 20,
	})
	client := pb.NewVersionServiceClient(conn)
	v := must[*pb.GetVersionResponse](t)(client.GetVersion(as(t, "c"), &pb.GetVersionRequest{}))
	switch {
	case v.GetApiVersion() != "v1", v.GetClaudeCode().GetVersion() != claude, v.GetClaudeCode().GetCompatibility() != pb.CompatibilityLevel_FULLY_COMPATIBLE,
		v.GetConstraints().GetMinClientVersion() != window.Client.Minimum, !slices.Equal(v.GetConstraints().GetDeprecatedFeatures(), []string{"legacy_permission_format"}),
		v.GetConstraints().GetFeatureReplacements()["legacy_permission_format"] == "", slices.Contains(v.GetFeatures(), "context_compaction"),
		!slices.Contains(v.GetFeatures(), "streaming_deltas"), len(v.GetFlags()) != len(messages.Features()):
		t.Errorf("%v", v)
	}
	n := must[*pb.NegotiateResponse](t)(client.NegotiateCapabilities(as(t, "c"), &pb.NegotiateRequest{ClientVersion: "0.1.0"}))
	can := n.GetCapabilities()
	switch {
	case !n.GetAccepted(), len(n.GetWarnings()) > 0, !can.GetStreamingSupported(), !can.GetCompressionSupported(), can.GetMaxMessageSize() != 5<<20,
		!slices.Equal(can.GetAvailableTools(), []string{"Bash", "Read"}), !slices.Equal(can.GetAvailableModels(), []string{"opus", "opus-5", "sonnet"}),
		can.GetFeatureFlags()["context_compaction"], !can.GetFeatureFlags()["permission_bridge"]:
		t.Errorf("%v", n)
	}

	agent := pb.NewAgentServiceClient(conn)
	_, err := agent.CompactSession(as(t, "c"), &pb.CompactSessionRequest{SessionId: sessionA})
	if status.Code(err) != codes.Unimplemented || !strings.Contains(err.Error(), "settings.json feature_flags.context_compaction") {
		t.Errorf("%v", err)
	}
	said = nil
	if _, err := agent.CompactSession(as(t, "c"), &pb.CompactSessionRequest{SessionId: sessionA}); status.Code(err) == codes.Unimplemented {
		t.Errorf("switched on again: %v", err)
	}
}

// TestFeaturesHaveCalls: every call that a feature guards is served, or its service is
// not built; no feature is both fixed and guarded.
func TestFeaturesHaveCalls(t *testing.T) {
	_, s := serve(t, &fakeAsker{})
	services := s.grpc.GetServiceInfo()
	for _, f := range messages.Features() {
		if f.Fixed && len(f.Calls) > 0 {
			t.Errorf("%s cannot be switched off, and guards calls", f.Name)
		}
		for _, call := range f.Calls {
			service, method, _ := strings.Cut(strings.TrimPrefix(call, "/"), "/")
			info, served := services[service]
			if has := method == ""; served && !has {
				for _, m := range info.Methods {
					has = has || m.Name == method
				}
				if !has {
					t.Errorf("%s guards %s, which nobody serves", f.Name, call)
				}
			}
		}
	}
}

// TestCompatibilityPage: docs/compatibility.md says what the tables say.
func TestCompatibilityPage(t *testing.T) {
	raw, err := os.ReadFile("../docs/compatibility.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	for _, f := range messages.Features() {
		row := fmt.Sprintf("| `%s` | %s | %s | %s |", f.Name, f.Stage, f.Since, f.Description)
		if !strings.Contains(page, row) {
			t.Errorf("there is no row %s", row)
		}
	}
	for _, version := range []string{window.ClaudeCode.Minimum, window.ClaudeCode.Complete, window.ClaudeCode.Tested, window.Client.Minimum} {
		if !strings.Contains(page, "`"+version+"`") {
			t.Errorf("%s is not on the page", version)
		}
	}
	for _, f := range messages.Features() {
		if _, anchor, ok := strings.Cut(f.Migration, "#"); ok && !strings.Contains(page, "# `"+anchor+"`") && !strings.Contains(page, "# "+anchor) {
			t.Errorf("nothing is at %s", f.Migration)
		}
	}
}

// legacyRequest answers a permission as older clients do.
func legacyRequest(t *testing.T, key any) []byte {
	t.Helper()
	permission := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "req")
	permission = protowire.AppendVarint(protowire.AppendTag(permission, 2, protowire.VarintType), uint64(pb.PermissionDecision_ALLOW_ONCE))
	permission = protowire.AppendTag(permission, 3, protowire.BytesType)
	switch key := key.(type) {
	case string:
		permission = protowire.AppendString(permission, key)
	case []byte:
		permission = protowire.AppendBytes(permission, key)
	}
	return protowire.AppendBytes(protowire.AppendTag(nil, 3, protowire.BytesType), permission)
}

func TestLegacyAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		key  any
		want bool
	}{
		"a message":        {[]byte{0x0a, 0xff, 0xfe}, true},
		"text":             {`{"command":"ls"}`, true},
		"a key":            {keyA, false},
		"nothing":          {"", false},
		"a key in a frame": {[]byte(keyA), false},
	} {
		var request pb.AgentRequest
		if err := decode(wire.NewCodec(), legacyRequest(t, test.key), &request); err != nil {
			t.Fatal(err)
		}
		if got := wire.LegacyAnswer(&request); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
		if found := wire.UnknownFields(&request); len(found) > 0 {
			t.Errorf("%s: %q", name, found)
		}
	}
}

func TestDeprecationWarning(t *testing.T) {
	var off atomic.Bool
	asker := &fakeAsker{stream: newFakeStream()}
	conn, _ := serveOptions(t, Options{Asker: asker, Version: "0.1.0", Features: func() map[string]bool {
		return map[string]bool{"legacy_permission_format": !off.Load()}
	}})
	stream := converse(t, conn, &pb.StartConversation{SessionId: sessionA})
	answer := func() {
		t.Helper()
		if err := stream.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Permission{Permission: &pb.PermissionResponse{
			RequestId: "r", Decision: pb.PermissionDecision_ALLOW_ONCE, IdempotencyKey: "{}",
		}}}); err != nil {
			t.Fatal(err)
		}
	}
	answer()
	event := must[*pb.AgentEvent](t)(stream.Recv())
	if d := event.GetDeprecation(); event.GetSequence() != 0 || d.GetFeature() != "legacy_permission_format" || d.GetReplacement() == "" ||
		d.GetMigrationUrl() == "" || d.GetSeverity() != pb.Severity_WARNING || event.GetSessionId() != sessionA {
		t.Fatalf("%v", event)
	}
	answer()
	off.Store(true)
	answer()
	event = must[*pb.AgentEvent](t)(stream.Recv()) // no second warning is before it
	if e := event.GetError(); e.GetCode() != "UNIMPLEMENTED" || e.GetIsFatal() || e.GetDetails()["request_id"] != "r" || e.GetDetails()["feature"] != "legacy_permission_format" {
		t.Fatalf("%v", event)
	}
	answered := 0
	for _, m := range asker.saw() {
		if _, ok := m.(messages.AnswerPermission); ok {
			answered++
		}
	}
	if answered > 2 {
		t.Errorf("%d answers went through", answered)
	}
	asker.stream.end <- nil
}

func TestSeverity(t *testing.T) {
	for _, test := range []struct {
		server, removal string
		want            pb.Severity
	}{
		{"0.1.0", "0.2.0", pb.Severity_URGENT},
		{"0.1.0", "0.3.0", pb.Severity_WARNING},
		{"0.1.0-dev+x", "1.0.0", pb.Severity_WARNING},
		{"1.4.0", "1.4.0", pb.Severity_URGENT},
		{"2.0.0", "1.0.0", pb.Severity_URGENT},
		{"1.0.0", "3.0.0", pb.Severity_INFO},
		{"dev", "1.0.0", pb.Severity_INFO},
		{"1.0.0", "", pb.Severity_INFO},
	} {
		if got := severity(test.server, test.removal); got != test.want {
			t.Errorf("%s to %s is %s, want %s", test.server, test.removal, got, test.want)
		}
	}
}

func TestUnknownFields(t *testing.T) {
	future := func(number protowire.Number) []byte {
		return protowire.AppendString(protowire.AppendTag(nil, number, protowire.BytesType), "x")
	}
	message := &pb.UserMessage{Content: "hi", Attachments: []*pb.Attachment{{Filename: "f"}}}
	message.ProtoReflect().SetUnknown(append(future(77), future(78)...))
	message.GetAttachments()[0].ProtoReflect().SetUnknown(future(9))
	request := &pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: message}}
	if got := wire.UnknownFields(request); strings.Join(got, " ") != "UserMessage.77 UserMessage.78 Attachment.9" {
		t.Errorf("%q", got)
	}
	if got := wire.UnknownFields(&structpb.Struct{Fields: map[string]*structpb.Value{"a": structpb.NewStringValue("b")}}); got != nil {
		t.Errorf("%q", got)
	}

	conn, _ := serve(t, &fakeAsker{})
	list := &pb.ListSessionsRequest{}
	list.ProtoReflect().SetUnknown(future(500))
	must[*pb.ListSessionsResponse](t)(pb.NewAgentServiceClient(conn).ListSessions(as(t, "c"), list))
	stream := converse(t, conn, &pb.StartConversation{SessionId: sessionA})
	if err := stream.Send(request); err != nil {
		t.Fatal(err)
	}
	_ = stream.CloseSend()
	if _, _, err := readAll(t, stream); err != nil && status.Code(err) != codes.InvalidArgument {
		t.Error(err)
	}
	health := must[*pb.HealthDetailsResponse](t)(pb.NewBetCodeHealthClient(conn).GetHealthDetails(as(t, "c"), &pb.HealthDetailsRequest{}))
	if got := health.GetMetadata()[unknownKey]; got != "4" {
		t.Errorf("%s fields were counted", got)
	}
}
