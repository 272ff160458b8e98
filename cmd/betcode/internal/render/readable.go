package render

import (
	"fmt"
	"strings"
)

// Parts that Claude Code adds to the output of a tool for the model.
const (
	errorBegin    = "<tool_use_error>"
	errorEnd      = "</tool_use_error>"
	reminderBegin = "<system-reminder>"
	reminderEnd   = "</system-reminder>"
	stateSuffix   = " (file state is current in your context — no need to Read it back)"
)

// Readable returns the output of a tool for a person. It removes the tags around an error, and the remark about the model's context
// behind a file that was written. A reminder for the model before or behind the output is folded to a line with its length, because
// a file or a command can have such text as well; one that is the whole output is shown without its tags. Nothing else changes.
func Readable(output string) string {
	text := strings.TrimSpace(output)
	if inner, whole := between(text, errorBegin, errorEnd); whole {
		return inner
	}
	if inner, whole := between(text, reminderBegin, reminderEnd); whole {
		return inner
	}
	before, after := "", ""
	if strings.HasPrefix(text, reminderBegin) {
		if inner, rest, ended := strings.Cut(text[len(reminderBegin):], reminderEnd); ended {
			before, output = folded(inner)+"\n", strings.TrimLeft(rest, "\n")
		}
	}
	if text = strings.TrimRight(output, " \n"); strings.HasSuffix(text, reminderEnd) {
		if at := strings.LastIndex(text, reminderBegin); at > 0 && text[at-1] == '\n' {
			inner := strings.TrimSuffix(text[at+len(reminderBegin):], reminderEnd)
			after, output = "\n"+folded(inner), strings.TrimRight(text[:at], " \n")
		}
	}
	return before + strings.TrimSuffix(output, stateSuffix) + after
}

// between returns what is between two tags that enclose a whole text and occur in it once.
func between(text, begin, end string) (inner string, whole bool) {
	inner, opened := strings.CutPrefix(text, begin)
	inner, closed := strings.CutSuffix(inner, end)
	if !opened || !closed || strings.Contains(inner, begin) || strings.Contains(inner, end) {
		return "", false
	}
	return strings.TrimSpace(inner), true
}

func folded(note string) string {
	return fmt.Sprintf("(a note for the model is folded: %d bytes)", len(strings.TrimSpace(note)))
}
