package host

import (
	"slices"
	"sync"
	"time"

	"betcode/actors"
	"betcode/actors/settings"
	"betcode/config"
	"betcode/config/trust"
	"betcode/messages"
)

// directories implements actors.Directories: rules, defaults and trust of working directories.
type directories struct {
	config, home string // directories; home may be empty
	settings     *liveSettings

	writing sync.Mutex // serialises changes of the ledger

	known  sync.Mutex          // guards nested and full
	nested map[string]searched // by directory
	full   bool                // a search is not remembered, because nested was full
}

// searched is the result of a search for skills below a directory.
type searched struct {
	skills []string
	unseen []trust.Problem
}

// ledger reads the ledger of trusted directories, each time, because the user may edit or delete the file.
func (d *directories) ledger() (trust.Ledger, error) { return trust.Read(d.config) }

// trusts reports whether a directory is trusted with its present content, so that its settings take full effect.
func (d *directories) trusts(directory string) bool {
	l, err := d.ledger()
	return err == nil && l.Judge(d.inspect(directory, "")).Trusted
}

// inspect examines the settings of a directory for agents. own is the agent's configuration directory; empty is the usual one.
func (d *directories) inspect(directory, own string) trust.Report {
	if own == "" {
		own, _ = config.System().AgentDir() // without a home directory no file is the user's own
	}
	found := d.nestedIn(directory)
	nested := found.skills
	if l, err := d.ledger(); err == nil {
		nested = append(nested, l.Nested(directory)...)
	}
	return trust.Inspect(trust.Place{Directory: directory, Own: own, Nested: nested, Unseen: found.unseen})
}

// maxSearched bounds the directories whose nested skills are stored. Above it no other directory
// is trusted.
const maxSearched = 1000

// Search implements actors.Directories. Its findings are part of each later review, also after
// the files were deleted: an agent may have read them.
func (d *directories) Search(directory string) {
	found, unseen := trust.Nested(directory)
	d.known.Lock()
	defer d.known.Unlock()
	if _, before := d.nested[directory]; !before {
		if len(found)+len(unseen) == 0 {
			return
		}
		if len(d.nested) >= maxSearched {
			d.full = true
			return
		}
	}
	if d.nested == nil {
		d.nested = map[string]searched{}
	}
	d.nested[directory] = searched{found, unseen}
}

// nestedIn returns the findings of the last search below a directory.
func (d *directories) nestedIn(directory string) searched {
	d.known.Lock()
	defer d.known.Unlock()
	s, known := d.nested[directory]
	if !known && d.full {
		s.unseen = []trust.Problem{{Path: directory, Reason: "may have skills below that the daemon does not remember until it is restarted"}}
	}
	return searched{slices.Clone(s.skills), slices.Clone(s.unseen)}
}

// maxUntrustedRules bounds the rules of an untrusted directory, because each is matched against every call. If there are
// more, every call needs a permission.
const maxUntrustedRules = 1000

// Rules implements actors.Directories. If settings cannot be read, every call needs a permission, because it is not known
// what they forbid.
func (d *directories) Rules(directory string) []settings.Rules {
	l, err := d.ledger()
	report := d.inspect(directory, "")
	trusted := err == nil && l.Judge(report).Trusted
	var all []settings.Rules
	if ask := untrustedAsk(report, trusted); len(ask) > 0 {
		all = append(all, settings.Rules{Ask: ask, Source: "the directory is not trusted, and its git settings run programs"})
	}
	permissions := config.ReadDirectoryPermissions(directory, d.home)
	for _, p := range permissions {
		r := settings.Rules{Ask: p.Ask, Deny: p.Deny, Source: p.Path, Lines: p.Lines}
		if trusted {
			r.Allow = p.Allow
		}
		if p.Err != nil || !trusted && len(p.Ask)+len(p.Deny) > maxUntrustedRules {
			r.Ask, r.Deny = []string{"*"}, nil
		}
		all = append(all, r)
	}
	return all
}

// untrustedAsk returns ask rules for a directory that is not trusted. The agent runs read-only commands of git without a
// permission, and git runs the programs that its settings name.
func untrustedAsk(report trust.Report, trusted bool) []string {
	if trusted || !report.Has(trust.Git) {
		return nil
	}
	return []string{"Bash(git *)"}
}

// Defaults implements actors.Directories. The settings of a directory take effect if it is trusted.
func (d *directories) Defaults(directory string) actors.SessionDefaults {
	var files []*config.File
	if d.trusts(directory) {
		files = config.ReadDirectory(directory, d.home)
	}
	there := d.settings.get().In(files)
	out := actors.SessionDefaults{Model: there.Get("sessions.default_model").Text()}
	if policy := there.Get("resume.policy"); policy.Origin.OfDirectory() {
		out.Resume = messages.ResumePolicy(policy.Text())
	}
	return out
}

// Review implements actors.Directories.
func (d *directories) Review(directory, own string) (messages.DirectoryReview, error) {
	l, err := d.ledger()
	if err != nil {
		return messages.DirectoryReview{}, err
	}
	report := d.inspect(directory, own)
	verdict := l.Judge(report)
	review := messages.DirectoryReview{
		Directory: report.Directory, Digest: report.Digest(),
		Trusted: verdict.Trusted, Known: verdict.Known, Empty: report.Empty(),
		Ask: untrustedAsk(report, verdict.Trusted), Files: report.Files,
	}
	for _, f := range report.Findings {
		review.Findings = append(review.Findings, findingOf(f, ""))
	}
	for _, c := range verdict.Changes {
		review.Changes = append(review.Changes, findingOf(c.Finding, string(c.Mark)))
	}
	for _, p := range report.Problems {
		review.Problems = append(review.Problems, p.String())
	}
	return review, nil
}

func findingOf(f trust.Finding, mark string) messages.DirectoryFinding {
	return messages.DirectoryFinding{Mark: mark, Kind: string(f.Kind), Path: f.Path, Text: f.Text}
}

// Trust implements actors.Directories.
func (d *directories) Trust(m messages.TrustDirectory, own string) ([]string, error) {
	const op = "trust directory"
	d.writing.Lock()
	defer d.writing.Unlock()
	l, err := d.ledger()
	if err != nil || m.Directory == "" {
		return l.List(), err
	}
	if !m.Trusted {
		l = l.Remove(m.Directory)
		return l.List(), config.WriteLedger(d.config, l)
	}
	d.Search(m.Directory)
	report := d.inspect(m.Directory, own)
	if m.Digest != "" && m.Digest != report.Digest() {
		return nil, messages.Errorf(op, messages.Aborted, "the files of %s have changed since they were reviewed", report.Directory).
			WithHint("review them again with 'betcode trust " + report.Directory + "'")
	}
	if l, err = l.Accept(report, time.Now()); err != nil {
		return nil, messages.Errorf(op, messages.WrongState, "%w", err).
			WithHint("remove the file, or make it yours with 'chown'; until then agents do not obey files of that directory")
	}
	return l.List(), config.WriteLedger(d.config, l)
}

// changed runs edit, which changes a settings file of a directory on behalf of the user, and keeps the directory trusted
// if it was.
func (d *directories) changed(directory, path string, edit func() error) error {
	d.writing.Lock()
	defer d.writing.Unlock()
	l, err := d.ledger()
	before := err == nil && l.Judge(d.inspect(directory, "")).Trusted
	if err := edit(); err != nil || !before {
		return err
	}
	if report := d.inspect(directory, ""); !l.Judge(report).Trusted {
		return config.WriteLedger(d.config, l.Refresh(report, path))
	}
	return nil
}
