package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// tasks reports the scheduled prompts of an agent, which Claude Code reads from the directory's
// .claude regardless of its settings options (2.1.328). It reports the prompts and not the file,
// because the agent updates the file when it runs one.
func (in *inspector) tasks(path string) {
	if !in.present(path) || !in.room(path) {
		return
	}
	if foreign(path) {
		in.problem(path, "belongs to another user")
		return
	}
	content, reason := readBounded(path, maxFile)
	if reason != "" {
		in.problem(path, reason)
		return
	}
	texts := taskTexts(content)
	if len(texts) == 0 {
		return
	}
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	in.report.Files[path] = hex.EncodeToString(sum[:])
	for _, text := range texts {
		in.find(Finding{Task, path, text})
	}
}

// taskTexts returns "schedule: prompt" for each task, or the whole file if it cannot be parsed.
func taskTexts(content []byte) []string {
	var file exact
	var tasks []exact
	if json.Unmarshal(content, &file) != nil || json.Unmarshal(file["tasks"], &tasks) != nil {
		if text := strings.TrimSpace(string(content)); text != "" {
			return []string{text}
		}
		return nil
	}
	var texts []string
	for _, t := range tasks {
		texts = append(texts, t.text("cron")+": "+t.text("prompt"))
	}
	return texts
}
