package claude

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files; commit only differences that you understand")

// entry is one line of a recorded exchange, see testdata/transcripts/README.md.
type entry struct {
	Millis int             `json:"t_ms"`
	Dir    string          `json:"dir"`
	Line   json.RawMessage `json:"line"`
	EOF    bool            `json:"eof"`
	Signal string          `json:"signal"`
}

var recorded = time.Date(2026, 11, 20, 8, 21, 11, 0, time.UTC)

func (e entry) at() time.Time { return recorded.Add(time.Duration(e.Millis) * time.Millisecond) }

func transcripts(t testing.TB) map[string][]entry {
	t.Helper()
	files, err := filepath.Glob("testdata/transcripts/*.ndjson")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	all := map[string][]entry{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var entries []entry
		lines := bufio.NewScanner(bytes.NewReader(b))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var e entry
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			entries = append(entries, e)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".ndjson")] = entries
	}
	return all
}

// outputs are the lines of the agent in all transcripts, in order.
func outputs(t testing.TB) [][]byte {
	var all [][]byte
	for _, entries := range transcripts(t) {
		for _, e := range entries {
			if e.Dir == "out" {
				all = append(all, e.Line)
			}
		}
	}
	return all
}

// TestTranscripts reads what the real CLI wrote and compares with the log that
// is expected. "<" is what the host wrote, for orientation.
func TestTranscripts(t *testing.T) {
	for name, entries := range transcripts(t) {
		t.Run(name, func(t *testing.T) {
			var s State
			var log strings.Builder
			show := func(items []Item) {
				for _, i := range items {
					log.WriteString(render(i) + "\n")
				}
			}
			for _, e := range entries {
				var items []Item
				switch e.Dir {
				case "in":
					log.WriteString(cut(strings.TrimSpace("< "+string(e.Line)+e.Signal), 160) + "\n")
				case "out":
					s, items = Translate(s, e.Line, e.at())
				case "exit":
					s, items = EndRun(s, e.at())
					log.WriteString("exit\n")
				}
				show(items)
			}
			golden := filepath.Join("testdata", "golden", name+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(log.String()), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(log.String(), "\n")); diff != "" {
				t.Errorf("differs from %s (-want +got):\n%s", golden, diff)
			}
			if c := s.Counters(); c.Raw != 0 {
				t.Errorf("%d lines were not understood", c.Raw)
			}
		})
	}
}
