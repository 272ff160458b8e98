package claude

// UnhandledLine answers a request of the agent that nobody here handles, as the
// official SDK does for a program that has registered nothing. It is nil where the
// SDK gives no answer: a dialog of a kind that was never declared belongs to another
// client, and an answer would settle it.
func UnhandledLine(m ControlAsked) []byte {
	switch m.Subtype {
	case "elicitation":
		return answer(m.Request, struct {
			Action string `json:"action"`
		}{"decline"})
	case "request_user_dialog":
		return nil
	case "hook_callback":
		return RefuseLine(m.Request, "No hook callback found for ID: "+m.Name)
	case "mcp_message":
		return RefuseLine(m.Request, "SDK MCP server not found: "+m.Name)
	}
	return RefuseLine(m.Request, "Unsupported control request subtype: "+m.Subtype)
}
