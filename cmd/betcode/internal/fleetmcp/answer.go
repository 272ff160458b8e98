package fleetmcp

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/status"
)

// Bounds of answers, in bytes.
const (
	maxAnswer  = 48 << 10 // of a whole answer; agents cut what is much longer
	maxText    = 16 << 10 // of what one subagent has written
	maxSummary = 200      // of that in a list
	maxListed  = 100      // subagents in a list
)

// answer returns a value as the result of a tool.
func answer(v any) (*mcp.CallToolResult, any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, nil, err
	}
	if len(text) > maxAnswer {
		text = []byte(cut(string(text), maxAnswer) + " … [cut]")
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, nil, nil
}

// cut returns the beginning of a text, whole runes of it.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// reasonOf returns the code of an error of the daemon, empty if it has none.
func reasonOf(st *status.Status) string {
	for _, d := range st.Details() {
		if info, ok := d.(*errdetails.ErrorInfo); ok {
			return info.GetReason()
		}
	}
	return ""
}
