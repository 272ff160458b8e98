package portal

import (
	"testing"

	pb "betcode/proto/betcode/v1"
)

// A text of a proxy is shown as a link only if following it runs no code.
func TestAddresses(t *testing.T) {
	for text, want := range map[string][2]bool{ // as a repository, as a merge request
		"https://git.example/a/b.git":       {true, true},
		"HTTPS://git.example/a":             {true, true},
		"http://127.0.0.1:3000/a?b=c#d":     {true, true},
		"git@git.example:a/b.git":           {true, false},
		"ssh://git@git.example:22/a":        {true, false},
		"":                                  {},
		"javascript:alert(1)":               {},
		"JavaScript://git.example/%0aalert": {},
		"java\nscript:alert(1)":             {},
		" javascript:alert(1)":              {},
		"\x01javascript:alert(1)":           {},
		"data:text/html,<script>":           {},
		"file:///etc/passwd":                {},
		"/srv/git/a.git":                    {},
		"https://git.example/\u202egpj.exe": {},
		"https://git.example/a b":           {},
		"a@b:javascript:alert(1)":           {true, false}, // a host named b
	} {
		f := factsOf(&pb.SessionSummary{Proxied: &pb.ProxiedSession{RepoUrl: text, PrUrl: text}})
		if got := [2]bool{f.update.RepoURL != nil, f.update.PRURL != nil}; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
