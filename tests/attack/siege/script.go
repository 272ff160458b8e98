package siege

import (
	"betcode/tests/model"
)

// script makes the model follow the prompt; see doc.go. (?s) lets commands have several lines.
const script = `{
  "about": "does what the prompt says",
  "rules": [
    {"name": "bash", "when": {"prompt": "(?s)^bash: (.*)$"}, "reply": [{"tool": "Bash", "input": {"command": "${1}", "description": "run it"}}]},
    {"name": "write", "when": {"prompt": "^write: (.*)$"}, "reply": [{"tool": "Write", "input": {"file_path": "${1}", "content": "attack"}}]},
    {"name": "read", "when": {"prompt": "^read: (.*)$"}, "reply": [{"tool": "Read", "input": {"file_path": "${1}"}}]},
    {"name": "edit", "when": {"prompt": "^edit: (\\S+) (\\S+) (\\S+)$"},
     "reply": [{"tool": "Edit", "input": {"file_path": "${1}", "old_string": "${2}", "new_string": "${3}"}}]},
    {"name": "say", "when": {"prompt": "(?s)^say: (.*)$"}, "reply": [{"text": "${1}"}]},
    {"name": "done", "when": {"after": -1}, "reply": [{"text": "Done: ${result}"}]}
  ]
}`

// serve starts a model server with a script, or with the one above.
func serve(text string) (*model.Server, error) {
	if text == "" {
		text = script
	}
	parsed, err := model.Parse([]byte(text))
	if err != nil {
		return nil, err
	}
	return model.New(parsed)
}
