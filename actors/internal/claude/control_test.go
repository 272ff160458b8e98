package claude

import (
	"strings"
	"testing"
)

// TestUnhandledRequestsAreAnsweredAsTheSDKDoes checks the answers to requests of an agent
// that are not supported.
func TestUnhandledRequestsAreAnsweredAsTheSDKDoes(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{`{"type":"control_request","request_id":"r","request":{"subtype":"elicitation","mcp_server_name":"s","message":"m"}}`, `"response":{"action":"decline"}`},
		{`{"type":"control_request","request_id":"r","request":{"subtype":"hook_callback","callback_id":"hook_0"}}`, `"error":"No hook callback found for ID: hook_0"`},
		{`{"type":"control_request","request_id":"r","request":{"subtype":"mcp_message","server_name":"files","message":{}}}`, `"error":"SDK MCP server not found: files"`},
		{`{"type":"control_request","request_id":"r","request":{"subtype":"of_tomorrow"}}`, `"error":"Unsupported control request subtype: of_tomorrow"`},
		{`{"type":"control_request","request_id":"r","request":{"subtype":"request_user_dialog","dialog_kind":"k"}}`, ""},
	} {
		_, items := Translate(State{}, []byte(test.line), recorded)
		var line []byte
		found := false
		for _, i := range items {
			if asked, ok := i.(ControlAsked); ok {
				line, found = UnhandledLine(asked), true
			}
		}
		if !found || !strings.Contains(string(line), test.want) || test.want == "" && line != nil {
			t.Errorf("%s\nanswered with %s, want %s", test.line, line, test.want)
		}
	}
}
