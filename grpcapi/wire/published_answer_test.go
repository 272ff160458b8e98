package wire

import (
	"encoding/hex"
	"strings"
	"testing"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	pb "betcode/proto/betcode/v1"
)

// publishedRequest is an AgentRequest as published clients encode an answer.
func publishedRequest(t *testing.T, decision pb.PermissionDecision, input map[string]any, message string) []byte {
	t.Helper()
	var answer []byte
	answer = protowire.AppendString(protowire.AppendTag(answer, 1, protowire.BytesType), "req-1")
	answer = protowire.AppendVarint(protowire.AppendTag(answer, 2, protowire.VarintType), uint64(decision))
	if input != nil {
		s, err := structpb.NewStruct(input)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		answer = protowire.AppendBytes(protowire.AppendTag(answer, 3, protowire.BytesType), raw)
	}
	if message != "" {
		answer = protowire.AppendString(protowire.AppendTag(answer, 4, protowire.BytesType), message)
	}
	return protowire.AppendBytes(protowire.AppendTag(nil, permissionField, protowire.BytesType), answer)
}

// The requests with which published clients edit an input or explain a denial.
func TestPublishedAnswers(t *testing.T) {
	const (
		capturedEdit   = "1a1c0a02723110041a140a120a07636f6d6d616e6412071a056c73202d6c" // {"command":"ls -l"} in field 3
		capturedDenial = "1a0d0a027231100322057573652073"                               // "use s" in field 4
	)
	for name, test := range map[string]struct {
		raw     []byte
		input   string
		message string
		key     string
	}{
		"edit":             {publishedRequest(t, pb.PermissionDecision_ALLOW_WITH_EDIT, map[string]any{"command": "ls"}, ""), `{"command":"ls"}`, "", ""},
		"edit, long":       {publishedRequest(t, pb.PermissionDecision_ALLOW_WITH_EDIT, map[string]any{"command": strings.Repeat("é", 200)}, ""), `{"command":"` + strings.Repeat("é", 200) + `"}`, "", ""},
		"denial":           {publishedRequest(t, pb.PermissionDecision_DENY, nil, "use make"), "", "use make", ""},
		"edit with words":  {publishedRequest(t, pb.PermissionDecision_ALLOW_WITH_EDIT, map[string]any{"a": 1.0}, "so"), `{"a":1}`, "so", ""},
		"not an edit":      {publishedRequest(t, pb.PermissionDecision_ALLOW_ONCE, map[string]any{"command": strings.Repeat("é", 200)}, ""), "", "", ""},
		"captured edit":    {unhex(t, capturedEdit), `{"command":"ls -l"}`, "", ""},
		"captured denial":  {unhex(t, capturedDenial), "", "use s", ""},
		"the document's":   {encoded(t, &pb.PermissionResponse{RequestId: "r", Decision: pb.PermissionDecision_ALLOW_WITH_EDIT, IdempotencyKey: aUUID}), "", "", aUUID},
		"both, ours first": {encoded(t, &pb.PermissionResponse{RequestId: "r", Decision: pb.PermissionDecision_ALLOW_WITH_EDIT, Message: "m", UpdatedInput: structOf(t, "x")}), `{"x":true}`, "m", ""},
		"text, no struct":  {encoded(t, &pb.PermissionResponse{RequestId: "r", Decision: pb.PermissionDecision_ALLOW_WITH_EDIT, IdempotencyKey: "some key"}), "", "", "some key"},
	} {
		t.Run(name, func(t *testing.T) {
			var request pb.AgentRequest
			if err := NewCodec().Unmarshal(mem.BufferSlice{mem.SliceBuffer(test.raw)}, &request); err != nil || Malformed(&request) != nil {
				t.Fatalf("%v, %v", err, Malformed(&request))
			}
			p := request.GetPermission()
			input := ""
			if p.GetUpdatedInput() != nil {
				raw, _ := protojson.Marshal(p.GetUpdatedInput())
				input = strings.ReplaceAll(string(raw), `": `, `":`)
			}
			if input != test.input || p.GetMessage() != test.message || p.GetIdempotencyKey() != test.key {
				t.Errorf("input %.60s, message %q, key %q", input, p.GetMessage(), p.GetIdempotencyKey())
			}
		})
	}
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func encoded(t *testing.T, p *pb.PermissionResponse) []byte {
	t.Helper()
	raw, err := proto.Marshal(&pb.AgentRequest{Request: &pb.AgentRequest_Permission{Permission: p}})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func structOf(t *testing.T, name string) *structpb.Struct {
	t.Helper()
	s, err := structpb.NewStruct(map[string]any{name: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const aUUID = "3f2a0000-0000-4000-8000-000000000001"
