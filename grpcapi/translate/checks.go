package translate

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"betcode/grpcapi/wire"
	"betcode/messages"
)

// The bounds of a request. Text that becomes an event stays below the 4 MiB that most clients
// accept; text that becomes an argument of the agent stays small.
const (
	MaxContentBytes   = 3 << 20
	maxAttachments    = 100
	maxNameBytes      = 200
	maxArgumentBytes  = 1024
	MaxPathBytes      = 4096
	maxTools          = 1000
	maxMetadata       = 64
	maxMetadataBytes  = 4096
	maxSuggestions    = 64
	maxVariables      = 256 // of a client's environment
	maxVariableBytes  = 32 << 10
	maxMessageBytes   = 64 << 10 // of a denial
	maxAnswers        = 100
	maxRequestIDBytes = 256 + 64 // of an agent's request, with the subagent that it is forwarded from
	maxListLimit      = 10_000
)

// permissionModes are the values of --permission-mode that the agent accepts; it exits on any other value.
var permissionModes = []string{"default", "manual", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"}

// SessionIn checks a required session id.
func SessionIn(op, id string) (messages.SessionID, error) {
	if id == "" {
		return "", wire.Invalid(op, "Give session_id, as 'betcode session list' shows it.", "session_id is empty")
	}
	canonical := wire.CanonicalUUID(id)
	if canonical == "" {
		return "", wire.Invalid(op, "Give session_id as 'betcode session list' shows it: a UUID of 36 characters.",
			"the session id %q is not a UUID", wire.Clip(id))
	}
	return messages.SessionID(canonical), nil
}

// requestIn checks the id of a permission request or a question.
func requestIn(op, field, id string) (messages.RequestID, error) {
	switch {
	case id == "":
		return "", wire.Invalid(op, "Give "+field+", as the event shows it.", "%s is empty", field)
	case len(id) > maxRequestIDBytes:
		return "", wire.Invalid(op, "Give "+field+", as the event shows it.", "%s has %d bytes", field, len(id))
	}
	return messages.RequestID(id), nil
}

// DirectoryIn checks and cleans a working directory. Empty stays empty.
func DirectoryIn(op, dir string) (string, error) {
	switch {
	case dir == "":
		return "", nil
	case len(dir) > MaxPathBytes || strings.ContainsRune(dir, 0):
		return "", wire.Invalid(op, "Give the directory's real path.", "working_directory is not a valid path")
	case !filepath.IsAbs(dir):
		return "", wire.Invalid(op, "Give an absolute path: the daemon has another working directory.",
			"working_directory %q is relative", wire.Clip(dir))
	}
	return filepath.Clean(dir), nil
}

// ArgumentIn checks text that becomes an argument of the agent's command line, and returns it
// as the agent gets it.
func ArgumentIn(op, field, text string) (string, error) {
	if len(text) > maxArgumentBytes {
		return "", wire.Invalid(op, "Shorten it.", "%s has %d bytes, the limit is %d", field, len(text), maxArgumentBytes)
	}
	out, err := messages.Argument(text)
	switch {
	case errors.Is(err, messages.ErrArgumentDash):
		return "", wire.Invalid(op, "Give a name, not an option.", "%s %w", field, err)
	case err != nil:
		return "", wire.Invalid(op, "Remove them.", "%s %w", field, err)
	}
	return out, nil
}

// modeIn checks a permission mode. Empty is the default.
func modeIn(op, mode string) error {
	if mode == "" || slices.Contains(permissionModes, mode) {
		return nil
	}
	return wire.Invalid(op, "Use one of "+strings.Join(permissionModes, ", ")+".", "the permission mode %q is unknown", wire.Clip(mode))
}

// ToolsIn checks a list of tools or rules, and returns it as the agent gets it.
func ToolsIn(op, field string, tools []string) ([]string, error) {
	if len(tools) > maxTools {
		return nil, wire.Invalid(op, "Name fewer, or use patterns.", "%s has %d entries, the limit is %d", field, len(tools), maxTools)
	}
	var out []string
	for i, tool := range tools {
		text, err := ArgumentIn(op, field, tool)
		if err != nil {
			return nil, err
		}
		if text == "" {
			return nil, wire.Invalid(op, "Remove it, or name a tool.", "entry %d of %s is empty", i+1, field)
		}
		out = append(out, text)
	}
	return out, nil
}

func metadataIn(op string, metadata map[string]string) error {
	if len(metadata) > maxMetadata {
		return wire.Invalid(op, "Keep fewer.", "metadata has %d entries, the limit is %d", len(metadata), maxMetadata)
	}
	for key, value := range metadata {
		if key == "" || len(key) > maxNameBytes || len(value) > maxMetadataBytes {
			return wire.Invalid(op, "Keep keys below 200 bytes and values below 4 KiB.", "the metadata entry %q is empty or too long", wire.Clip(key))
		}
	}
	return nil
}

// environmentIn checks the form of an environment. The session decides which variables it keeps.
func environmentIn(op string, environment map[string]string) error {
	if len(environment) > maxVariables {
		return wire.Invalid(op, "Send the variables that the daemon keeps.", "environment has %d variables, the limit is %d", len(environment), maxVariables)
	}
	for name, value := range environment {
		if name == "" || len(name) > maxNameBytes || strings.ContainsAny(name, "=\x00") || len(value) > maxVariableBytes || strings.ContainsRune(value, 0) {
			return wire.Invalid(op, "Keep names below 200 bytes and values below 32 KiB.", "the variable %q is not valid or too long", wire.Clip(name))
		}
	}
	return nil
}

// NameIn checks the name of a session.
func NameIn(op, name string) error {
	if len(name) > maxNameBytes || strings.ContainsFunc(name, unicode.IsControl) {
		return wire.Invalid(op, "Use at most 200 bytes of plain text.", "the name is too long or has control characters")
	}
	return nil
}

// WithinHead refuses a cursor beyond the head.
func WithinHead(op string, from, head messages.Seq) error {
	if from <= head {
		return nil
	}
	return messages.Errorf(op, messages.OutOfRange, "sequence %d is beyond the head %d", from, head).
		WithHint("The journal may have been restored from a backup: drop the cursor, and read the history from its beginning.")
}
