package gitlab

import (
	"bytes"
	"net/http"
	"testing"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"

	pb "betcode/proto/betcode/v1"
)

// TestPiece: for any sizes of writes, the piece keeps the requested part.
func TestPiece(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "log")
		offset, limit := rapid.Uint64Range(0, 400).Draw(t, "offset"), rapid.Uint32Range(1, 200).Draw(t, "limit")
		for _, tail := range []bool{false, true} {
			from := int(min(offset, uint64(len(log))))
			if tail {
				from, offset = max(0, len(log)-int(limit)), 0
			}
			want := log[from:min(len(log), from+int(limit))]
			p := newPiece(offset, limit, tail)
			for rest := log; len(rest) > 0; {
				n := rapid.IntRange(1, len(rest)).Draw(t, "n")
				if written, err := p.Write(rest[:n]); written != n || err != nil {
					t.Fatal(written, err)
				}
				rest = rest[n:]
			}
			if got, at := p.content(); !bytes.Equal(got, want) || at != uint64(from) || p.seen != uint64(len(log)) {
				t.Fatalf("tail %v: %q at %d, want %q at %d", tail, got, at, want, from)
			}
		}
	})
}

// TestWords: every value has the GitLab's name and can be found by it.
func TestWords(t *testing.T) {
	back := map[string]func(string) protoreflect.Enum{
		"MergeRequestState": func(s string) protoreflect.Enum { return valueOf[pb.MergeRequestState](s) },
		"PipelineStatus":    func(s string) protoreflect.Enum { return valueOf[pb.PipelineStatus](s) },
		"IssueState":        func(s string) protoreflect.Enum { return valueOf[pb.IssueState](s) },
	}
	for _, words := range []struct {
		of    protoreflect.Enum
		words []string
	}{
		{pb.MergeRequestState(0), []string{"opened", "closed", "merged", "locked"}},
		{pb.PipelineStatus(0), []string{"created", "waiting_for_resource", "preparing", "pending", "running", "success", "failed", "canceled", "skipped", "manual", "scheduled"}},
		{pb.IssueState(0), []string{"opened", "closed"}},
	} {
		if n := words.of.Descriptor().Values().Len(); n != len(words.words)+1 {
			t.Errorf("%T has %d values", words.of, n)
		}
		for i, want := range words.words {
			value := words.of.Type().New(protoreflect.EnumNumber(i + 1))
			if got := wordOf(value); got != want {
				t.Errorf("%v is %q", value, got)
			}
			if got := back[string(words.of.Descriptor().Name())](want); got != value {
				t.Errorf("%q is %v", want, got)
			}
		}
		if got := back[string(words.of.Descriptor().Name())]("later"); got.Number() != 0 {
			t.Errorf("a word of a later version is %v", got)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	for _, c := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "5", 5 * time.Second},
		{"Retry-After", now.Add(2 * time.Minute).UTC().Format(http.TimeFormat), 2 * time.Minute},
		{"Retry-After", "99999999", time.Hour},
		{"Retry-After", "soon", time.Minute},
		{"RateLimit-Reset", "1800000007", 7 * time.Second},
		{"RateLimit-Reset", "1799999999", time.Second},
		{"X-Nothing", "", time.Minute},
	} {
		if got := retryAfter(http.Header{http.CanonicalHeaderKey(c.name): {c.value}}, now); got != c.want {
			t.Errorf("%s %q: %s, want %s", c.name, c.value, got, c.want)
		}
	}
}
