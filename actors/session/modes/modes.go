// Package modes knows what the permission modes of Claude Code leave to the agent, and which of them a person has to confirm.
//
// In some modes Claude Code decides by itself what it asks about, and does not ask about everything on the built-in list
// (docs/security.md has the table). The session asks for the confirmation and records it.
package modes

import (
	"encoding/json"
	"slices"

	"betcode/actors/internal/claude"
)

// Tool is the tool that a request to confirm a mode names.
const Tool = "PermissionMode"

// Unasked reports whether the agent acts without asking first in a mode.
func Unasked(mode string) bool {
	return mode == "acceptEdits" || mode == "auto" || mode == claude.BypassMode
}

// Risk returns what an agent does without asking in a mode that has to be confirmed: a clause for people. It is empty for the
// other modes. exposed tells why files of the built-in list are in the agent's directory, empty if none are; it may read the disk,
// and is called for acceptEdits only.
func Risk(mode string, exposed func() string) string {
	switch mode {
	case "", "manual", "plan", "dontAsk", claude.DefaultMode:
		return ""
	case "acceptEdits":
		if why := exposed(); why != "" {
			return "files are changed without a request, and " + why
		}
		return ""
	case claude.BypassMode:
		return "shell commands run without a request, also those that change protected files"
	}
	return "the agent decides by itself which calls run without a request"
}

// Confirmed reports whether a mode is among those that were confirmed. A confirmation of bypassPermissions covers every mode.
func Confirmed(confirmed []string, mode string) bool {
	return slices.Contains(confirmed, mode) || slices.Contains(confirmed, claude.BypassMode)
}

// Input returns what people are shown of a mode, in the shape of a tool's input.
func Input(mode, risk, directory string) []byte {
	input, err := json.Marshal(map[string]string{"mode": mode, "means": risk, "directory": directory})
	if err != nil {
		panic("encode permission mode: " + err.Error()) // strings only
	}
	return input
}
