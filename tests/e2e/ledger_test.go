package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
)

// accepted returns how often a message is in the fake agent's transcript, which survives the agent.
func (s *story) accepted(session, key string) int {
	s.Helper()
	files, err := filepath.Glob(filepath.Join(s.world.Home, ".claude", "projects", "*", session+".jsonl"))
	if err != nil || len(files) != 1 {
		s.Fatalf("transcripts of %s: %v %v", session, files, err)
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		s.Fatal(err)
	}
	n := 0
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var record struct {
			Accepted []string `json:"accepted"`
		}
		if json.Unmarshal(lines.Bytes(), &record) != nil {
			continue
		}
		for _, k := range record.Accepted {
			if k == key {
				n++
			}
		}
	}
	if err := lines.Err(); err != nil {
		s.Fatal(err)
	}
	return n
}
