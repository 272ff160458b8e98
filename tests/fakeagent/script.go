package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// script maps prompts to steps. The file that FAKE_AGENT_SCRIPT names is JSON:
//
//	{"rules": [
//	  {"prompt": "^fix (\\S+)", "steps": ["echo:Looking at $1", "run:touch $1"]},
//	  {"prompt": "",            "steps": ["echo:Whatever."]}
//	]}
//
// The first rule whose regular expression matches the prompt wins; its steps are written like
// prompts, and $1 is the match of the first group. A prompt no rule matches is read as usual.
type script struct{ rules []rule }

type rule struct {
	Prompt  string
	Steps   []string
	pattern *regexp.Regexp
}

// loadScript reads the file; no name means no script.
func loadScript(path string) (script, error) {
	if path == "" {
		return script{}, nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return script{}, fmt.Errorf("fake agent: read script: %w", err)
	}
	var file struct{ Rules []rule }
	if err := json.Unmarshal(b, &file); err != nil {
		return script{}, fmt.Errorf("fake agent: parse script: %w", err)
	}
	for i := range file.Rules {
		if file.Rules[i].pattern, err = regexp.Compile(file.Rules[i].Prompt); err != nil {
			return script{}, fmt.Errorf("fake agent: rule %d of script: %w", i+1, err)
		}
	}
	return script{file.Rules}, nil
}

// steps are those of the first rule that matches, or the prompt's own.
func (s script) steps(prompt string) []step {
	for _, r := range s.rules {
		if match := r.pattern.FindStringSubmatchIndex(prompt); match != nil {
			text := strings.Join(r.Steps, "\n")
			return parseSteps(string(r.pattern.ExpandString(nil, text, prompt, match)))
		}
	}
	return parseSteps(prompt)
}
