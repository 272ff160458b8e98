package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"betcode/tests/kit"
)

// A mark is a word in a prompt or in a text of an agent that is there once in a session. The lines of a session are compared by
// their marks: "u=own.7=" is the prompt with a mark, "a=own.7=" the text of the agent.

var markPattern = regexp.MustCompile(`=[a-z0-9]+\.[0-9]+=`)

// mark returns the mark of a number.
func mark(name string, n int) string { return fmt.Sprintf("=%s.%d=", name, n) }

// marksOf returns the marks of a line of Claude Code: of prompts, and of texts of the agent.
func marksOf(line json.RawMessage) (marks []string) {
	var l struct {
		Type    string  `json:"type"`
		Parent  *string `json:"parent_tool_use_id"`
		Message struct {
			Content json.RawMessage `json:"content"`
		} `json:"message"`
	}
	if json.Unmarshal(line, &l) != nil || l.Parent != nil {
		return nil
	}
	var blocks []struct{ Type, Text string }
	if json.Unmarshal(l.Message.Content, &blocks) != nil {
		return nil
	}
	kind := map[string]string{"user": "u", "assistant": "a"}[l.Type]
	for _, b := range blocks {
		if b.Type != "text" || kind == "" {
			continue
		}
		for _, m := range markPattern.FindAllString(b.Text, -1) {
			marks = append(marks, kind+m)
		}
	}
	return marks
}

// ofKind keeps the marks of prompts, "u", or of texts, "a", without their kind.
func ofKind(kind string, marks []string) (some []string) {
	for _, m := range marks {
		if rest, ok := strings.CutPrefix(m, kind); ok {
			some = append(some, rest)
		}
	}
	return some
}

// journaledMarks returns the marks of a history: of its prompts and of the texts of its agent.
func journaledMarks(all []kit.Event) (prompts, texts []string) {
	for _, e := range all {
		prompts = append(prompts, markPattern.FindAllString(e.GetUserInput().GetContent(), -1)...)
	}
	return prompts, markPattern.FindAllString(kit.Text(all), -1)
}

// compareMarks reports what differs between marks that must be the same.
func (r *round) compareMarks(got, want []string, format string, args ...any) {
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	if at == len(got) && at == len(want) {
		return
	}
	kind := reordered
	switch {
	case len(slices.Compact(slices.Sorted(slices.Values(got)))) < len(got):
		kind = duplicated
	case len(got) < len(want):
		kind = lost
	}
	r.report(kind, "%s: %d marks, %d expected; they differ at %d: %v, %v", fmt.Sprintf(format, args...), len(got), len(want), at,
		got[max(at-2, 0):min(at+4, len(got))], want[max(at-2, 0):min(at+4, len(want))])
}
