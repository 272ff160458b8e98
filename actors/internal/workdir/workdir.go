package workdir

import (
	"github.com/rs/zerolog"

	"betcode/actors/internal/rules"
	"betcode/actors/internal/ruleset"
	"betcode/actors/settings"
	"betcode/messages"
)

// Source finds the settings, rules and servers that working directories bring along, and which of them the user
// trusts. It reads the disk, and must be safe for concurrent use.
type Source interface {
	// Rules returns the rules of a directory's own settings, allow rules only
	// if the directory is trusted.
	Rules(directory string) []settings.Rules
	// Review returns the files that an agent in a directory would obey, and whether the user trusts
	// it. own is the configuration directory of the agent, whose files are the user's.
	Review(directory, own string) (messages.DirectoryReview, error)
	// Search searches all directories below a directory for files that an agent obeys, and has later
	// reviews of that directory include them.
	Search(directory string)
	// Defaults returns the settings of a new session in a directory whose request has none.
	Defaults(directory string) Defaults
	// Trust stores durably whether a directory is trusted with its present content, and
	// returns the trusted directories. An empty directory changes nothing.
	Trust(m messages.TrustDirectory, own string) ([]string, error)
}

// Defaults are the settings of a session whose request has none.
type Defaults struct {
	Model  string                // empty = the agent's own
	Resume messages.ResumePolicy // empty = the daemon's policy at the time
}

// Deps is what a [Reviewer] needs.
type Deps struct {
	Source Source          // nil = directories bring nothing along
	Own    string          // the agent's configuration directory in the daemon's own environment
	Log    *zerolog.Logger // never nil
}

// Reviewer reviews the files that directories bring along, and decides which of them an agent obeys.
type Reviewer struct{ deps Deps }

// New returns a reviewer.
func New(d Deps) *Reviewer { return &Reviewer{d} }

// Known reports whether there is a [Source]. Without one, [Reviewer.Guard] must not be called.
func (r *Reviewer) Known() bool { return r.deps.Source != nil }

// Defaults returns the settings of a new session in a directory whose request has none.
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
		r.deps.Log.Debug().Err(p).Str("source", p.Rule.Source).Msg("permission rule of a directory has no or limited effect")
	}
	return set
}

// Review returns the files that an agent in a directory would obey. It searches below the directory.
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

// Trust changes whether a directory is trusted, and returns all trusted directories.
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
