package workdir

import (
	"errors"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"betcode/messages"
)

// reviews is a source that has a review of each directory, and fails for others.
type reviews struct {
	Source
	of       map[string]messages.DirectoryReview
	searched []string
}

func (r *reviews) Review(directory, _ string) (messages.DirectoryReview, error) {
	review, found := r.of[directory]
	if !found {
		return review, errors.New("cannot read " + directory)
	}
	return review, nil
}

func (r *reviews) Search(directory string) { r.searched = append(r.searched, directory) }

func reviewer(source Source) *Reviewer {
	quiet := zerolog.Nop()
	return New(Deps{Source: source, Log: &quiet})
}

// A guard lists what it withholds from an agent, without values that may be secret.
func TestWithheldHasNoSecrets(t *testing.T) {
	guard := guardOf(messages.DirectoryReview{Findings: []messages.DirectoryFinding{
		{Kind: "hook", Text: "Stop: x"},
		{Kind: "env", Text: "KEY=SECRET"},
		{Kind: "server", Text: "s: prog --token SECRET"},
		{Kind: "server", Text: `t: {"url":"SECRET"}`},
		{Kind: "helper", Text: "apiKeyHelper: SECRET"},
		{Kind: "git", Text: "core.fsmonitor = SECRET"},
	}})
	var texts []string
	for _, f := range guard.Withheld {
		texts = append(texts, f.Text)
	}
	if got := strings.Join(texts, "; "); got != "Stop: x; KEY; s: prog; t; apiKeyHelper; core.fsmonitor" {
		t.Errorf("withheld: %s", got)
	}
}

// An added directory counts like the working directory.
func TestAddedDirectories(t *testing.T) {
	source := &reviews{of: map[string]messages.DirectoryReview{
		"/p":  {Digest: "1", Trusted: true},
		"/ok": {Digest: "2", Trusted: true},
		"/no": {Digest: "3", Findings: []messages.DirectoryFinding{{Kind: "hook", Text: "Stop: x"}}},
	}}
	r := reviewer(source)
	alone, err := r.Guard("/p", nil, nil, false)
	if err != nil || alone.Mode != messages.GuardOff || len(source.searched) > 0 {
		t.Errorf("alone: %+v, %v, searched %q", alone, err, source.searched)
	}
	trusted, err := r.Guard("/p", []string{"/ok"}, nil, true)
	if err != nil || trusted.Mode != messages.GuardOff || trusted.Digest == alone.Digest || strings.Join(source.searched, " ") != "/p /ok" {
		t.Errorf("with a trusted one: %+v, %v, searched %q", trusted, err, source.searched)
	}
	other, err := r.Guard("/p", []string{"/no"}, nil, false)
	if err != nil || other.Mode != messages.GuardStrict || len(other.Withheld) != 1 || len(other.Problems) != 1 || other.Digest == trusted.Digest {
		t.Errorf("with one that is not: %+v, %v", other, err)
	}
	if _, err := r.Guard("/p", []string{"/gone"}, nil, false); err == nil {
		t.Error("a directory that cannot be read has a guard")
	}
	if guard := r.GuardAtStart("/p", []string{"/gone"}, nil); guard.Mode != messages.GuardStrict || len(guard.Problems) != 1 {
		t.Errorf("at a start: %+v", guard)
	}
}

func TestObeyed(t *testing.T) {
	r := reviewer(&reviews{of: map[string]messages.DirectoryReview{"/p": {Trusted: true}, "/no": {}, "/empty": {Trusted: true, Empty: true}}})
	for directory, want := range map[string]bool{"/p": true, "/no": false, "/empty": false, "/gone": false} {
		if got := r.Obeyed(directory); got != want {
			t.Errorf("%s: %t", directory, got)
		}
	}
}

// Without a source no directory brings anything along.
func TestNoSource(t *testing.T) {
	r := reviewer(nil)
	if r.Known() || r.Obeyed("/p") || r.Defaults("/p") != (Defaults{}) || len(r.RuleList("/p")) > 0 || r.Rules("/p") == nil {
		t.Error("a directory brings something along")
	}
	_, review := r.Review(messages.ReviewDirectory{Directory: "/p"})
	_, trust := r.Trust(messages.TrustDirectory{Directory: "/p"})
	if messages.KindOf(review) != messages.Unimplemented || messages.KindOf(trust) != messages.Unimplemented {
		t.Errorf("%v, %v", review, trust)
	}
}
