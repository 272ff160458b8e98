package search

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"betcode/messages"
)

// prose makes texts of words whose frequencies fall as those of a language do, with identifiers and paths between them.
type prose struct {
	random *rand.Rand
	zipf   *rand.Zipf
}

func newProse() *prose {
	r := rand.New(rand.NewPCG(1, 2))
	return &prose{r, rand.NewZipf(r, 1.1, 4, 200_000)}
}

func (p *prose) text(n int) string {
	var out strings.Builder
	for range n {
		switch p.random.IntN(12) {
		case 0:
			fmt.Fprintf(&out, "read%sFile ", name(p.zipf.Uint64()))
		case 1:
			fmt.Fprintf(&out, "/src/%s/%s.go ", name(p.zipf.Uint64()), name(p.zipf.Uint64()))
		default:
			out.WriteString(name(p.zipf.Uint64()) + " ")
		}
	}
	return out.String()
}

// name returns a word for a number.
func name(n uint64) string {
	const consonants, vowels = "bcdfghklmnprstvz", "aeiou"
	word := ""
	for n += 17; n > 0; n /= 80 {
		word += string(consonants[n%16]) + string(vowels[n/16%5])
	}
	return word
}

// BenchmarkMillion builds an index of as many events as SEARCH_EVENTS requires, each a document, and searches it.
func BenchmarkMillion(b *testing.B) {
	total, err := strconv.Atoi(os.Getenv("SEARCH_EVENTS"))
	if err != nil {
		b.Skip("set SEARCH_EVENTS, for example to 1000000")
	}
	j, p := newJournal(), newProse()
	const perSession = 100
	bytes := 0
	for i := range total / 4 {
		id := messages.SessionID(fmt.Sprintf("session-%d", i*4/perSession%10_000))
		call := strconv.Itoa(i)
		j.append(id, said(p.text(20)), piece(call, p.text(60), true),
			called(call, "Bash", map[string]any{"command": p.text(8), "file_path": "/src/" + name(p.zipf.Uint64()) + ".go"}), returned(call, p.text(50)))
	}
	for _, h := range j.sessions {
		for _, e := range h.events {
			bytes += len(e.Bytes)
		}
	}
	for b.Loop() {
		directory := b.TempDir()
		x, _, err := Open(Options{Directory: directory, Journal: j})
		if err != nil {
			b.Fatal(err)
		}
		began := time.Now()
		for _, id := range x.Lagging() {
			if _, err := x.Advance(id, 1<<30); err != nil {
				b.Fatal(err)
			}
			for more := true; more; {
				if more, err = x.Reduce(); err != nil {
					b.Fatal(err)
				}
			}
		}
		if err := x.Flush(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(total)/time.Since(began).Seconds(), "events/s")
		info, err := os.Stat(filepath.Join(directory, FileName))
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(info.Size())/float64(bytes), "index/journal")
		b.Logf("%d MB of events, index of %d MB", bytes>>20, info.Size()>>20)
		for _, q := range []string{name(0), name(300), name(90_000), name(0) + " " + name(1), `"` + name(0) + " " + name(1) + `"`, "ba*", "readFile -" + name(5)} {
			var times []time.Duration
			hits, used := 0, processorTime(b)
			for range 20 {
				began := time.Now()
				found, err := x.Find(background, messages.Search{Text: q, Limit: 20}, nil)
				if err != nil {
					b.Fatal(err)
				}
				times, hits = append(times, time.Since(began)), found.Total
			}
			slices.Sort(times)
			used = (processorTime(b) - used) / 20
			b.Logf("%-24s %8d hits, p50 %v, worst %v, %v of a processor", q, hits, times[10].Round(10*time.Microsecond), times[19].Round(10*time.Microsecond), used.Round(10*time.Microsecond))
		}
		x.Abandon()
	}
}

// processorTime returns how long the process has had a processor, which a machine that others use does not change.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
