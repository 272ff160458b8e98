package conformance

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"betcode/tests/kit"
)

var update = flag.Bool("update", false, "write docs/conformance.md")

// together is the number of stories that run at a time: they mostly wait.
const together = "8"

// binaries are the programs of the stories, built once from this checkout.
var binaries struct{ betcode, fake string }

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", together); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(build(m))
}

func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "bcbin")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	for name, at := range map[string]*string{"betcode/cmd/betcode": &binaries.betcode, "betcode/tests/fakeagent": &binaries.fake} {
		*at = filepath.Join(dir, filepath.Base(name))
		if err := kit.Build(context.Background(), *at, name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}

// TestConformance runs all stories, judges all rows, and compares the page with the result.
func TestConformance(t *testing.T) {
	rows, decisions := readRows(t), readDecisions(t)
	result := run{wire: newRecord(), claims: map[string][]string{}}
	known := map[string]bool{}
	for _, row := range rows {
		known[row.id] = true
		if row.deviation != "" && decisions[row.deviation] == (decision{}) {
			t.Errorf("%s: there is no decision %s in docs/decisions", row.id, row.deviation)
		}
	}
	var (
		mu         sync.Mutex
		incomplete atomic.Bool // a story was skipped
	)
	t.Run("stories", func(t *testing.T) {
		for _, story := range stories {
			t.Run(story.name, func(t *testing.T) {
				t.Parallel()
				defer func() { incomplete.CompareAndSwap(false, t.Skipped()) }()
				s := begin(t, story)
				story.run(s)
				mu.Lock()
				defer mu.Unlock()
				if story.name == "contract" {
					result.contract = readContract(t, s.daemon.Conn())
				}
				if t.Failed() {
					return
				}
				result.wire.add(s.record)
				for _, id := range s.claims {
					if !known[id] {
						t.Errorf("there is no row %q", id)
					}
					result.claims[id] = append(result.claims[id], story.name)
				}
			})
		}
	})
	if incomplete.Load() || strings.Contains(flag.Lookup("test.run").Value.String(), "/") {
		t.Skip("not all stories were told, so the rows are not judged")
	}
	var verdicts []verdict
	for _, row := range rows {
		v := result.judge(row)
		if v.failure != "" {
			t.Errorf("%s: %s: %s", v.heading, v.name, v.failure)
		}
		verdicts = append(verdicts, v)
	}
	t.Log(lastLine(verdicts))
	compare(t, render(verdicts, decisions))
}

// compare compares the page with the result of a run, and writes it with -update.
func compare(t *testing.T, made []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(page, made, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	is, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(is, made) {
		return
	}
	before, after := strings.Split(string(is), "\n"), strings.Split(string(made), "\n")
	for i := range min(len(before), len(after)) {
		if before[i] != after[i] {
			t.Fatalf("docs/conformance.md is not what this run gives, from line %d on:\n%s\n%s\nmake conformance writes it", i+1, before[i], after[i])
		}
	}
	t.Fatal("docs/conformance.md is not what this run gives: make conformance writes it")
}
