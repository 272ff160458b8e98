package tests

import (
	"slices"
	"strings"
	"testing"
)

const module = "betcode"

// rule says what a package, and every package below it that has no rule of its own, may import of ours, and what of
// others it must not import. Names stand for everything below them.
type rule struct {
	pkg     string
	may     []string
	because string            // why nothing else of ours
	never   map[string]string // package of others, to the reason
}

const (
	protoactor = "github.com/asynkron/protoactor-go"
	grpc       = "google.golang.org/grpc"
	bbolt      = "go.etcd.io/bbolt"
)

// rules is the picture "who imports whom". Change it freely when the design changes, and say why.
var rules = slices.Concat(baseRules, persistenceRules, actorsRules, sessionRules, gatewayRules, cmdRules)

// baseRules are the rules of what everything else is built on, and of what is built on everything.
var baseRules = []rule{
	{
		pkg: "proto", because: "the wire contract is a leaf: others generate their own code from it",
	},
	{
		pkg: "messages", may: []string{"messages/visible", "messages/plan"}, because: "the vocabulary is a leaf: everybody speaks it, so it may know nobody",
		never: map[string]string{
			protoactor: "a message must be readable without an actor system",
			grpc:       "kinds of errors become status codes in the gateway, and nowhere else",
			bbolt:      "how a message is stored is persistence's business",
		},
	},
	{
		pkg: "config", may: []string{"config/trust"}, because: "each package takes its own small Options; the command fills them from here",
		never: map[string]string{protoactor: "settings are data", grpc: "settings are data", bbolt: "settings are files"},
	},
	{
		pkg: "supervision", may: []string{"messages"}, because: "a policy judges failures of any actor",
		never: map[string]string{
			grpc:  "restarting has nothing to do with clients",
			bbolt: "restarting has nothing to do with the journal",
		},
	},
	{
		pkg: "messages/masking", because: "secrets look the same in every log, and it knows none of those who write one",
	},
	{
		pkg: "messages/regular", because: "the daemon and the command line read files that an agent may have replaced, each for itself",
	},
	{
		pkg: "messages/gitname", because: "a name is checked before there is a repository, also by the command line, which has no actors",
	},
	{
		pkg: "messages/plan", may: []string{"messages/gitname"}, because: "a plan is checked by the command line, the gateway and the actors alike, so it knows none of them",
	},
	{
		pkg: "docs/examples", may: []string{"proto"}, because: "an example has what a client of another house has: the wire contract",
	},
	{
		pkg: "tests", may: []string{""}, because: "tests may look anywhere",
	},
}

// nowhere lists packages of others that no package of ours may import.
var nowhere = map[string]string{
	"github.com/rs/zerolog/log":   "loggers are handed in, so that a test can read its own",
	"github.com/stretchr/testify": "go-cmp and plain ifs say enough",
	protoactor + "/remote":        "it silences the log of all gRPC in the process",
	protoactor + "/cluster":       "one machine; several are joined by relays",
	protoactor + "/persistence":   "it knows no errors; the journal is ours",
}

func TestImports(t *testing.T) {
	used := map[string]bool{}
	for _, p := range packages(t) {
		r, ok := ruleFor(p.name)
		if !ok {
			t.Errorf("%s has no rule: add one in tests/imports_*_test.go that says what it may import, and why", p.name)
			continue
		}
		used[r.pkg] = true
		for imported := range p.imports {
			r.check(t, p.name, imported)
		}
		// Tests may use what their package must not, but for the stories; the command's packages are the command's own.
		for imported := range p.tests {
			forbid(t, "a test of "+p.name, imported, nowhere)
			own, ours := strings.CutPrefix(imported, module+"/")
			if ours && own != p.name && !below(p.name, "tests") && (below(own, "cmd") && !below(p.name, "cmd") || below(own, "tests")) {
				t.Errorf("a test of %s imports %s: what both need belongs elsewhere", p.name, imported)
			}
		}
	}
	for _, r := range rules {
		if !used[r.pkg] {
			t.Errorf("there is a rule for %s, and no such package", r.pkg)
		}
	}
}

func (r rule) check(t *testing.T, importer, imported string) {
	t.Helper()
	forbid(t, importer, imported, nowhere)
	forbid(t, importer, imported, r.never)
	own, ours := strings.CutPrefix(imported, module+"/")
	if !ours {
		return
	}
	for _, allowed := range r.may {
		if allowed == "" || below(own, allowed) {
			return
		}
	}
	t.Errorf("%s imports %s: %s", importer, imported, r.because)
}

func forbid(t *testing.T, importer, imported string, reasons map[string]string) {
	t.Helper()
	for forbidden, reason := range reasons {
		if below(imported, forbidden) {
			t.Errorf("%s imports %s: %s", importer, imported, reason)
		}
	}
}

// ruleFor finds the rule with the longest name that fits.
func ruleFor(pkg string) (rule, bool) {
	var found rule
	for _, r := range rules {
		if below(pkg, r.pkg) && len(r.pkg) > len(found.pkg) {
			found = r
		}
	}
	return found, found.pkg != ""
}

// below reports whether a package is another, or lies in a directory below it.
func below(pkg, top string) bool {
	return pkg == top || strings.HasPrefix(pkg, top+"/")
}
