package proxied

import (
	"encoding/json"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/texts"
)

// maxPortal bounds the text of one line of the proxy's own, in characters.
const maxPortal = 4 << 10

// portalItems translates a line that the proxy has added itself: {"type":"portal","content":[…]}. Its texts are shown as a notice;
// content of other kinds is kept as it came.
func portalItems(line []byte, at time.Time) (items []claude.Item, portal bool) {
	var l struct {
		Type    string            `json:"type"`
		Content []json.RawMessage `json:"content"`
	}
	if json.Unmarshal(line, &l) != nil || l.Type != "portal" {
		return nil, false
	}
	var shown []string
	for _, raw := range l.Content {
		var c struct{ Type, Text, Title, Body string }
		if json.Unmarshal(raw, &c) != nil {
			return nil, false
		}
		switch c.Type {
		case "text":
			shown = append(shown, c.Text)
		case "reminder":
			shown = append(shown, strings.TrimSpace(c.Title+"\n"+c.Body))
		default:
			return nil, false // the translator keeps the line
		}
	}
	if len(shown) == 0 {
		return nil, false
	}
	notice := &pb.Notice{Code: "PROXY_MESSAGE", Message: texts.Shorten(strings.Join(shown, "\n"), maxPortal)}
	return []claude.Item{claude.Draft{Event: &pb.AgentEvent{
		Timestamp: timestamppb.New(at), Event: &pb.AgentEvent_Notice{Notice: notice},
	}}}, true
}
