package workdir

import (
	"github.com/rs/zerolog"

	"betcode/actors/internal/rules"
	"betcode/actors/internal/ruleset"
	"betcode/actors/settings"
	"betcode/messages"
)

// Source tells what working directories bring along, and what of it the user
// trusts. It looks at the disk; it is called from many goroutines.
type Source interface {
	// Rules are those of a directory's own settings. Allow rules are among them only
	// if the directory is trusted.
	Rules(directory string) []settings.Rules
	// Review tells what an agent in a directory would obey, and whether the user trusts
	// it. own is the configuration directory of the agent, whose files are the user's.
	Review(directory, own string) (messages.DirectoryReview, error)
	// Search looks for what an agent obeys below a directory, and has later reviews of that
	// directory include it. It lists all directories below.
	Search(directory string)
	// Defaults is what a new session in a directory has where the request says nothing.
	Defaults(directory string) Defaults
	// Trust stores durably whether a directory is trusted with what it has now, and
	// returns those that are. No directory changes nothing.
	Trust(m messages.TrustDirectory, own string) ([]string, error)
}

// Defaults is what a session has that was started without.
type Defaults struct {
	Model  string                // empty = the agent's own
	Resume messages.ResumePolicy // empty = the daemon's, whatever that will be
}

// Deps is what a [Reviewer] needs.
type Deps struct {
	Source Source          // nil = directories bring nothing along
	Own    string          // the agent's configuration directory in the daemon's own environment
	Log    *zerolog.Logger // never nil
}

// Reviewer tells what directories bring along, and how much of it an agent obeys.
type Reviewer struct{ deps Deps }

// New returns a reviewer.
func New(d Deps) *Reviewer { return &Reviewer{d} }

// Known reports whether there is a [Source]. Without one, [Reviewer.Guard] must not be called.
func (r *Reviewer) Known() bool { return r.deps.Source != nil }

// Defaults returns what a new session in a directory has where the request says nothing.
func (r *Reviewer) Defaults(directory string) Defaults {
	if r.deps.Source == nil {
		return Defaults{}
	}
	return r.deps.Source.Defaults(directory)
}

// RuleList returns the rules that a directory brings along.
func (r *Reviewer) RuleList(directory string) []rules.Rule {
	if r.deps.Source == nil {
		return nil
	}
	var all []rules.Rule
	for _, file := range r.deps.Source.Rules(directory) {
		all = append(all, ruleset.Of(file)...)
	}
	return all
}

// Rules returns the rules that a directory brings along, as a set. It is not nil.
func (r *Reviewer) Rules(directory string) *rules.Set {
	set, problems := rules.New(r.RuleList(directory)...)
	for _, p := range problems {
		r.deps.Log.Debug().Err(p).Str("source", p.Rule.Source).Msg("permission rule of a directory does not count in full")
	}
	return set
}

// Review answers what an agent in a directory would obey. It searches below the directory.
func (r *Reviewer) Review(m messages.ReviewDirectory) (messages.Reply, error) {
	const op = "review directory"
	if r.deps.Source == nil {
		return nil, unknown(op)
	}
	r.deps.Source.Search(m.Directory)
	review, err := r.deps.Source.Review(m.Directory, r.deps.Own)
	if err != nil {
		return nil, messages.AsError(op, err)
	}
	return review, nil
}

// Trust changes whether a directory is trusted, and answers with all trusted directories.
func (r *Reviewer) Trust(m messages.TrustDirectory) (messages.Reply, error) {
	const op = "trust directory"
	if r.deps.Source == nil {
		return nil, unknown(op)
	}
	list, err := r.deps.Source.Trust(m, r.deps.Own)
	if err != nil {
		return nil, messages.AsError(op, err)
	}
	if m.Directory != "" {
		r.deps.Log.Info().Str("directory", m.Directory).Bool("trusted", m.Trusted).Msg("trust of a directory changed")
	}
	return messages.TrustedDirectories{Directories: list}, nil
}

func unknown(op string) error {
	return messages.Errorf(op, messages.Unimplemented, "this daemon keeps no list of trusted directories")
}
