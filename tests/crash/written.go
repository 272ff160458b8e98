package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The oracle trusts the files that agents leave on disk.

// spoken returns the text of all runs of a session, from their spools.
func (r *round) spoken(id string) (string, error) {
	var text strings.Builder
	runs := filepath.Join(r.world.StateDir(), "runs", id)
	entries, err := os.ReadDir(runs)
	if err != nil && !os.IsNotExist(err) {
		return "", err
	}
	var numbers []int
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		content, err := r.raw(id, n)
		if err != nil {
			return "", err
		}
		for line := range bytes.Lines(content) {
			if bytes.HasSuffix(line, []byte("\n")) {
				text.WriteString(textOf(line))
			}
		}
	}
	return text.String(), nil
}

// textOf returns the assistant's text in a line: a delta, or the output of a slash command.
func textOf(line []byte) string {
	var l struct {
		Type    string  `json:"type"`
		Parent  *string `json:"parent_tool_use_id"`
		Event   struct{ Delta struct{ Type, Text string } }
		Message struct{ Content json.RawMessage }
	}
	if json.Unmarshal(line, &l) != nil || l.Parent != nil {
		return ""
	}
	if l.Type == "stream_event" && l.Event.Delta.Type == "text_delta" {
		return l.Event.Delta.Text
	}
	var content string
	if l.Type == "user" && json.Unmarshal(l.Message.Content, &content) == nil {
		if printed, ok := strings.CutPrefix(content, "<local-command-stdout>"); ok {
			return strings.TrimSuffix(printed, "</local-command-stdout>")
		}
	}
	return ""
}

// inTranscript counts, by key, the messages that the fake agent's transcript of a conversation has taken in.
func (r *round) inTranscript(_ *client, conversation string) (map[string]int, error) {
	counts := map[string]int{}
	files, err := filepath.Glob(filepath.Join(r.world.Home, ".claude", "projects", "*", conversation+".jsonl"))
	if err != nil || len(files) > 1 {
		return nil, fmt.Errorf("transcripts %v: %w", files, err)
	}
	for _, path := range files {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(bytes.NewReader(content))
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			var record struct{ Accepted []string }
			if json.Unmarshal(lines.Bytes(), &record) == nil {
				for _, key := range record.Accepted {
					counts[key]++
				}
			}
		}
		if err := lines.Err(); err != nil {
			return nil, err
		}
	}
	return counts, nil
}
