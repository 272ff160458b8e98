package actors

import (
	"cmp"
	"strings"

	"betcode/actors/internal/rules"
	"betcode/messages"
)

// Directories tells what working directories bring along, and what of it the user
// trusts. It looks at the disk; it is called from many goroutines.
type Directories interface {
	// Rules are those of a directory's own settings. Allow rules are among them only
	// if the directory is trusted.
	Rules(directory string) []Rules
	// Untrusted names the files in a directory that an agent would obey without
	// asking; none if the directory is trusted.
	Untrusted(directory string) ([]string, error)
	// Defaults is what a new session in a directory has where the request says nothing.
	Defaults(directory string) SessionDefaults
	// Trust notes durably whether a directory is trusted, and returns those that are.
	// No directory changes nothing.
	Trust(directory string, trusted bool) ([]string, error)
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
		all = append(all, r.list()...)
	}
	return all
}

// checkTrust refuses a session in a directory whose settings an agent would obey,
// before the user has looked at them.
func (s *System) checkTrust(directory string) error {
	const op = "start session"
	if s.options.Directories == nil {
		return nil
	}
	files, err := s.options.Directories.Untrusted(directory)
	if err != nil {
		return asError(op, err)
	}
	if len(files) == 0 {
		return nil
	}
	return messages.Errorf(op, messages.WrongState, "%s is not trusted and brings %s along", directory, strings.Join(files, ", ")).
		WithCode(messages.NotTrusted).With("directory", directory).With("files", strings.Join(files, ",")).
		WithHint("look at what they allow and run, then: betcode trust " + directory)
}

func (s *System) trust(m messages.TrustDirectory) (messages.Reply, error) {
	const op = "trust directory"
	if s.options.Directories == nil {
		return nil, messages.Errorf(op, messages.Unimplemented, "this daemon keeps no list of trusted directories")
	}
	list, err := s.options.Directories.Trust(m.Directory, m.Trusted)
	if err != nil {
		return nil, asError(op, err)
	}
	if m.Directory != "" {
		s.logOf("trust").Info().Str("directory", m.Directory).Bool("trusted", m.Trusted).Msg("trust changed")
	}
	return messages.TrustedDirectories{Directories: list}, nil
}
