//go:build unix

package logfile

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The tests run their own executable as a child process with a log.
const (
	roleVariable = "LOGFILE_TEST_ROLE"
	roleWriter   = "writer" // writes numbers until it is killed
	roleCrash    = "crash"  // writes more than one file holds, and panics
)

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		play(role, os.Args[1], os.Args[2])
	}
	os.Exit(m.Run())
}

func play(role, path, first string) {
	f, err := Open(Options{Path: path, Limits: Limits{Bytes: 2000, Files: 3}, Crashes: true})
	if err != nil {
		panic(err)
	}
	n, err := strconv.Atoi(first)
	if err != nil {
		panic(err)
	}
	for {
		if _, err := fmt.Fprintf(f, "#%d;\n", n); err != nil {
			panic(err)
		}
		if n++; role == roleCrash && n > 1000 {
			fmt.Fprintln(os.Stderr, "last words")
			panic("crashed on purpose")
		}
	}
}

func process(t *testing.T, role, path string, first int) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0], path, strconv.Itoa(first))
	c.Env = append(os.Environ(), roleVariable+"="+role)
	return c
}

// TestKilled checks that the log of a process that is killed repeatedly, also during a rotation, keeps the newest lines in
// order and within the bound.
func TestKilled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	number := regexp.MustCompile(`#(\d+);`)
	next := 0
	for range 20 {
		writer := process(t, roleWriter, path, next)
		if err := writer.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.IntN(30)) * time.Millisecond)
		_ = writer.Process.Kill()
		_ = writer.Wait()

		all := got(t, path)
		if len(all) > 3 {
			t.Fatalf("%d files: %q", len(all), all)
		}
		slices.Reverse(all)
		text, last := strings.Join(all, ""), -1
		if len(text) > 3*2100 { // a line that was torn may be over
			t.Fatalf("%d bytes", len(text))
		}
		for _, found := range number.FindAllStringSubmatch(text, -1) {
			n, err := strconv.Atoi(found[1])
			if err != nil || last >= 0 && n != last+1 {
				t.Fatalf("%d follows %d: %v", n, last, err)
			}
			last = n
		}
		if last < next-1 {
			t.Fatalf("the last line is %d, and %d was there", last, next-1)
		}
		next = last + 1
	}
	t.Logf("%d lines", next)
}

// The output of a crash is at the end of the newest file: because standard error is the
// log, or as a copy.
func TestCrash(t *testing.T) {
	t.Parallel()
	for name, own := range map[string]bool{"standard error is the log": true, "standard error is another file": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "log")
			other, err := os.OpenFile(filepath.Join(dir, "other"), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			c := process(t, roleCrash, path, 0)
			c.Stderr = other
			if own {
				log, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
				if err != nil {
					t.Fatal(err)
				}
				defer log.Close()
				c.Stdout, c.Stderr = log, log
			}
			if err := c.Run(); err == nil {
				t.Fatal("it did not crash")
			}
			newest, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(newest), "#1000;") || !strings.Contains(string(newest), "crashed on purpose") || own != strings.Contains(string(newest), "last words") {
				t.Errorf("the newest file has\n%s", newest)
			}
			if said, _ := os.ReadFile(other.Name()); own != (len(said) == 0) {
				t.Errorf("the other file has\n%s", said)
			}
		})
	}
}
