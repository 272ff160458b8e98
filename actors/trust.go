package actors

import (
	"cmp"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/rules"
	"betcode/actors/internal/ruleset"
	"betcode/actors/settings"
	"betcode/messages"
)

// Directories tells what working directories bring along, and what of it the user
// trusts. It looks at the disk; it is called from many goroutines.
type Directories interface {
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
	Defaults(directory string) SessionDefaults
	// Trust stores durably whether a directory is trusted with what it has now, and
	// returns those that are. No directory changes nothing.
	Trust(m messages.TrustDirectory, own string) ([]string, error)
}

// SessionDefaults is what a session has that was started without.
type SessionDefaults struct {
	Model  string                // empty = the agent's own
	Resume messages.ResumePolicy // empty = the daemon's, whatever that will be
}

// withDefaults fills in what a new session was started without.
func (s *System) withDefaults(m messages.StartSession) messages.StartSession {
	if s.options.Directories == nil || s.exists(m.Session) {
		return m
	}
	d := s.options.Directories.Defaults(m.WorkingDirectory)
	m.Model, m.Resume = cmp.Or(m.Model, d.Model), cmp.Or(m.Resume, d.Resume)
	return m
}

// directoryRules are the rules that a directory brings along.
func (s *System) directoryRules(directory string) *rules.Set {
	set, problems := rules.New(s.directoryRuleList(directory)...)
	for _, p := range problems {
		s.logOf("trust").Debug().Err(p).Str("source", p.Rule.Source).Msg("permission rule of a directory does not count in full")
	}
	return set
}

// directoryRuleList is the same as a list.
func (s *System) directoryRuleList(directory string) []rules.Rule {
	if s.options.Directories == nil {
		return nil
	}
	var all []rules.Rule
	for _, r := range s.options.Directories.Rules(directory) {
		all = append(all, ruleset.Of(r)...)
	}
	return all
}

// reviewDirectory runs on the caller's goroutine.
func (s *System) reviewDirectory(m messages.ReviewDirectory) (messages.Reply, error) {
	const op = "review directory"
	if s.options.Directories == nil {
		return nil, messages.Errorf(op, messages.Unimplemented, "this daemon keeps no list of trusted directories")
	}
	s.options.Directories.Search(m.Directory)
	review, err := s.options.Directories.Review(m.Directory, claude.Home(s.environment(nil)))
	if err != nil {
		return nil, messages.AsError(op, err)
	}
	return review, nil
}

func (s *System) trust(m messages.TrustDirectory) (messages.Reply, error) {
	const op = "trust directory"
	if s.options.Directories == nil {
		return nil, messages.Errorf(op, messages.Unimplemented, "this daemon keeps no list of trusted directories")
	}
	list, err := s.options.Directories.Trust(m, claude.Home(s.environment(nil)))
	if err != nil {
		return nil, messages.AsError(op, err)
	}
	if m.Directory != "" {
		s.logOf("trust").Info().Str("directory", m.Directory).Bool("trusted", m.Trusted).Msg("trust of a directory changed")
	}
	return messages.TrustedDirectories{Directories: list}, nil
}
