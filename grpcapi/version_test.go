package grpcapi

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/structpb"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

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
		v.GetConstraints().GetMinClientVersion() == "", !slices.Equal(v.GetConstraints().GetDeprecatedFeatures(), []string{"legacy_permission_format"}),
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
	if status.Code(err) != codes.Unimplemented || !strings.Contains(err.Error(), "config set feature_flags.context_compaction true") {
		t.Errorf("%v", err)
	}
	said = nil
	if _, err := agent.CompactSession(as(t, "c"), &pb.CompactSessionRequest{SessionId: sessionA}); status.Code(err) == codes.Unimplemented {
		t.Errorf("switched on again: %v", err)
	}
}

// TestFeaturesHaveCalls: every call that a feature guards is served, or its service is not
// registered. No feature is both fixed and guarded.
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
	event = must[*pb.AgentEvent](t)(stream.Recv()) // no second warning precedes it
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
