package console

import (
	"encoding/json"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	pb "betcode/proto/betcode/v1"
)

// Programs iterate over the lists of an object: an empty one is [] and not absent.
func TestEmptyListsInJSON(t *testing.T) {
	input, err := structpb.NewStruct(map[string]any{"files": []any{}, "name": "x"})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		object func() (map[string]any, error)
		want   string
	}{
		"empty answer": {func() (map[string]any, error) { return MessageJSON(&pb.ListSessionsResponse{}) }, `{"sessions":[]}`},
		"inside a message": {func() (map[string]any, error) {
			return MessageJSON(&pb.AgentEvent{Sequence: 1, Event: &pb.AgentEvent_TodoUpdate{TodoUpdate: &pb.TodoUpdate{}}})
		}, `{"sequence":"1","todo_update":{"items":[]}}`},
		"a Struct stays as it is": {func() (map[string]any, error) {
			return MessageJSON(&pb.AgentEvent{Event: &pb.AgentEvent_ToolCallStart{ToolCallStart: &pb.ToolCallStart{Input: input}}})
		}, `{"tool_call_start":{"input":{"files":[],"name":"x"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			object, err := test.object()
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := json.Marshal(object); string(got) != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// Names of sessions come from anybody; a terminal shows what is printed.
func TestHiddenCharactersAreEscaped(t *testing.T) {
	var out strings.Builder
	if err := WriteValue(&out, map[string]any{"name": "gnp\u202egpj <b>"}, ""); err != nil {
		t.Fatal(err)
	}
	if want := `{"name":"gnp\u202egpj <b>"}` + "\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
