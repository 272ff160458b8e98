package grpcapi

import (
	"strings"
	"testing"
	"time"

	"betcode/grpcapi/translate"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

func TestAskLine(t *testing.T) {
	for name, c := range map[string]struct {
		record messages.PermissionRecord
		want   string
	}{
		"a command":      {messages.PermissionRecord{Tool: "Bash", Input: []byte(`{"command": "rm x", "description": "run it"}`)}, `rm x (the agent says: "run it")`},
		"words alone":    {messages.PermissionRecord{Tool: "Bash", Input: []byte(`{"command": "rm x"}`), Description: "run the tests"}, "rm x"},
		"hidden":         {messages.PermissionRecord{Tool: "Bash", Input: []byte("{\"command\": \"rm \\r\u200bx\"}")}, `rm \r\u200bx`},
		"a path":         {messages.PermissionRecord{Tool: "Write", Input: []byte(`{"file_path": "/a", "content": "b"}`)}, "/a"},
		"no input":       {messages.PermissionRecord{Tool: "Odd", Input: []byte(`[`)}, "Odd"},
		"a mode":         {messages.PermissionRecord{Tool: "x", Mode: "acceptEdits", Description: "enter\nacceptEdits"}, `enter\nacceptEdits`},
		"a question":     {messages.PermissionRecord{Question: true, Input: []byte("{\"questions\": [{\"question\": \"Which \u202eone?\"}]}")}, `the agent asks: "Which \\u202eone?"`},
		"more questions": {messages.PermissionRecord{Question: true, Input: []byte(`{"questions": [{"question": "a"}, {"question": "b"}]}`)}, `the agent asks: "a" (and 1 more)`},
	} {
		if got := translate.AskLine(c.record); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := translate.AskLine(messages.PermissionRecord{Tool: "Bash", Input: []byte(`{"command": "` + strings.Repeat("x", 10000) + `"}`)}); len(got) > 500 {
		t.Errorf("%d bytes", len(got))
	}
}

// Each session in a list has its oldest undecided request, and the number of them.
func TestListSaysWhatIsAsked(t *testing.T) {
	asker := &fakeAsker{answer: func(r messages.Request) (messages.Reply, error) {
		switch r.(type) {
		case messages.ListSessions:
			return messages.SessionList{Total: 2, Sessions: []messages.SessionRecord{{ID: sessionA}, {ID: elsewhere}}}, nil
		case messages.ListPermissions:
			at := time.Unix(1, 0)
			return messages.PermissionList{Permissions: []messages.PermissionRecord{
				{Session: sessionA, Tool: "Bash", Input: []byte(`{"command": "first"}`), ReceivedAt: at},
				{Session: sessionA, Tool: "Bash", Input: []byte(`{"command": "second"}`), ReceivedAt: at},
			}}, nil
		}
		return nil, nil
	}}
	conn, _ := serve(t, asker)
	list, err := pb.NewAgentServiceClient(conn).ListSessions(as(t, "c"), &pb.ListSessionsRequest{})
	if err != nil || len(list.GetSessions()) != 2 {
		t.Fatal(list, err)
	}
	if s := list.GetSessions()[0]; s.GetAsks() != "first" || s.GetUndecided() != 2 {
		t.Errorf("%v", s)
	}
	if s := list.GetSessions()[1]; s.GetAsks() != "" || s.GetUndecided() != 0 {
		t.Errorf("%v", s)
	}
}
