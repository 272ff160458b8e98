//go:build unix

package fuzzshell

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"betcode/actors/internal/rules"
)

// defaultCount is how many commands a plain `go test` tries: some twenty seconds.
const defaultCount = 8_000

// maxFailures ends a run that has found many failures.
const maxFailures = 8

// promise is a set of rules with the stubs that must not run under it unasked.
type promise struct {
	name  string
	rules []rules.Rule
	never func(stub string) bool
}

func allow(texts ...string) (list []rules.Rule) {
	for _, text := range texts {
		list = append(list, rules.Rule{Effect: rules.Allow, Text: text})
	}
	return list
}

func deny(texts ...string) (list []rules.Rule) {
	for _, text := range texts {
		list = append(list, rules.Rule{Effect: rules.Deny, Text: text})
	}
	return list
}

var promises = []promise{
	{
		"narrow allow rules", allow("Bash(git *)", "Bash(echo *)", "Bash(true)", "Bash(: *)", "Bash(printf *)", "Bash(test *)", "Bash([ *)", "Bash(unset *)", "Bash(read *)", "Bash(cd *)", "Bash(wait *)",
			"Bash(getopts *)", "Bash(mapfile *)", "Bash(readarray *)", "Bash(let *)", "Bash(exit *)", "Bash(return *)", "Bash(shift *)", "Bash(ulimit *)", "Bash(umask *)", "Bash(print *)", "Bash(export *)",
			"Bash(declare *)", "Bash(typeset *)", "Bash(local *)", "Bash(readonly *)", "Bash(integer *)", "Bash(set *)", "Bash(alias *)", "Bash(hash *)"),
		func(stub string) bool { return stub != "git" },
	},
	{"allow Bash beside deny rules", append(allow("Bash"), deny("Bash(rm *)", "Bash(curl -x *)")...), func(stub string) bool { return stub == "rm" || stub == "curl" }},
}

// TestShells keeps both promises, for the corpus and for commands that are made up.
func TestShells(t *testing.T) {
	t.Parallel()
	found := shells(t)
	seed, count, until := uint64(number(t, "BETCODE_FUZZ_SEED", 1)), number(t, "BETCODE_FUZZ_COUNT", defaultCount), time.Time{}
	if testing.Short() {
		count /= 10
	}
	if text := os.Getenv("BETCODE_FUZZ_TIME"); text != "" {
		span, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		count, until = 1<<40, time.Now().Add(span)
	}
	begin := 0
	if only := number(t, "BETCODE_FUZZ_ONLY", -1); only >= 0 {
		begin, count = only, only+1
	}
	corpus := readCorpus(t)
	var sets []*rules.Set
	for _, p := range promises {
		set, problems := rules.New(p.rules...)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		sets = append(sets, set)
	}
	var next, tried, ran, failed atomic.Int64
	next.Store(int64(begin))
	var all sync.WaitGroup
	for range max(2, runtime.GOMAXPROCS(0)) {
		b := newBench(t)
		all.Go(func() {
			for failed.Load() < maxFailures {
				n := int(next.Add(1)) - 1
				if n >= count+len(corpus) || !until.IsZero() && time.Now().After(until) {
					return
				}
				var text, replay string
				if at := n - begin; at < len(corpus) {
					text, replay = corpus[at], fmt.Sprintf("line %d of the corpus", at+1)
				} else {
					n -= len(corpus)
					text, replay = command(seed, n), fmt.Sprintf("BETCODE_FUZZ_SEED=%d BETCODE_FUZZ_ONLY=%d go test ./actors/internal/rules/fuzzshell", seed, n)
				}
				tried.Add(1)
				for p, set := range sets {
					runs, held := try(t, b, found, promises[p], set, text, replay)
					ran.Add(runs)
					if !held {
						failed.Add(1)
					}
				}
			}
		})
	}
	all.Wait()
	t.Logf("seed %d: %d commands, %d runs of what was allowed, in %s", seed, tried.Load(), ran.Load(), strings.Join(found, " "))
}

// try asks the rules about a command and runs it if they allow it. It returns how
// often it was run, and whether the promise held.
func try(t *testing.T, b *bench, found []string, p promise, set *rules.Set, text, replay string) (ran int64, held bool) {
	if !b.harmless(text) {
		return 0, true
	}
	input, err := json.Marshal(map[string]string{"command": b.spelled(text)})
	if err != nil {
		t.Error(err)
		return 0, false
	}
	verdict := set.Decide(rules.Call{Tool: "Bash", Input: input, Place: rules.Place{Directory: b.work, Home: b.bin}})
	if verdict.Effect != rules.Allow {
		return 0, true
	}
	for _, shell := range found {
		names, err := b.run(shell, text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			return ran, false
		}
		if ran++; slices.ContainsFunc(names, p.never) {
			t.Errorf("%s: %s ran %q\n%s\n(%s)\nreplay: %s", p.name, filepath.Base(shell), names, strconv.Quote(text), verdict.Why, replay)
			return ran, false
		}
	}
	return ran, true
}

// TestStubs checks that the bench notices what runs.
func TestStubs(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, shell := range shells(t) {
		for text, want := range map[string]string{
			"git x; rm y": "git rm", "echo 'rm x' | sh": "sh rm", "p=rm; env A=1 $p": "env rm", "git x & wait": "git", bin + "/rm x": "rm", "echo": "", "echo rm x | xargs env": "xargs env rm",
		} {
			if got, err := b.run(shell, text); err != nil || strings.Join(got, " ") != want {
				t.Errorf("%s: %q: %q %v, want %q", shell, text, got, err, want)
			}
		}
	}
}

func readCorpus(t *testing.T) (commands []string) {
	t.Helper()
	raw, err := os.ReadFile("testdata/corpus.txt")
	if err != nil {
		t.Fatal(err)
	}
	for n, line := range strings.Split(string(raw), "\n") {
		if line == "" || strings.HasPrefix(line, "//") {
			continue
		}
		text, err := strconv.Unquote(line)
		if err != nil {
			t.Fatalf("line %d: %v", n+1, err)
		}
		commands = append(commands, text)
	}
	return commands
}

func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

func isExit(err error, exit **exec.ExitError) bool {
	return errors.As(err, exit) || errors.Is(err, exec.ErrWaitDelay)
}
