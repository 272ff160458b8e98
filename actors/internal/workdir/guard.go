package workdir

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"betcode/actors/internal/claude"
	"betcode/messages"
	"betcode/messages/visible"
)

// Guard returns the restriction of an agent in a directory at present. added are its additional directories, environment is
// that of the agent. With search, it searches below the directories as well, and later reviews include what it has found. After an
// error, the guard is meaningless.
func (r *Reviewer) Guard(directory string, added, environment []string, search bool) (messages.Guard, error) {
	if search {
		for _, dir := range append([]string{directory}, added...) {
			r.deps.Source.Search(dir)
		}
	}
	review, err := r.review(directory, added, environment)
	return guardOf(review), err
}

// GuardAtStart is Guard without a search, for an agent that is about to start: an error becomes a problem of the guard.
func (r *Reviewer) GuardAtStart(directory string, added, environment []string) messages.Guard {
	review, err := r.review(directory, added, environment)
	if err != nil { // an unknown trust counts as none
		review = messages.DirectoryReview{Problems: []string{err.Error()}}
	}
	return guardOf(review)
}

// Obeyed reports whether an agent in a directory would obey everything that the directory brings along.
func (r *Reviewer) Obeyed(directory string) bool {
	if r.deps.Source == nil {
		return false
	}
	review, err := r.deps.Source.Review(directory, r.deps.Own)
	return err == nil && guardOf(review).Mode == messages.GuardOff
}

// review returns the files that an agent would obey in its working directory and in the added ones.
// Claude Code uses commands, skills and agents of added directories, but none of them
// with --setting-sources user (measured with 2.0.77 to 2.1.330).
func (r *Reviewer) review(directory string, added, environment []string) (messages.DirectoryReview, error) {
	own := claude.Home(environment)
	all, err := r.deps.Source.Review(directory, own)
	if err != nil || len(added) == 0 {
		return all, err
	}
	digest := sha256.New()
	fmt.Fprintf(digest, "%q", all.Digest)
	for _, dir := range added {
		one, err := r.deps.Source.Review(dir, own)
		if err != nil {
			return all, err
		}
		fmt.Fprintf(digest, "%q%q", dir, one.Digest)
		all.Findings = append(all.Findings, one.Findings...)
		all.Problems = append(all.Problems, one.Problems...)
		all.Empty, all.Trusted = all.Empty && one.Empty, all.Trusted && one.Trusted
		if !one.Trusted {
			all.Problems = append(all.Problems, fmt.Sprintf("the added directory %s is not trusted (betcode trust %s)", dir, visible.ShellWord(dir)))
		}
	}
	all.Digest = hex.EncodeToString(digest.Sum(nil))
	return all, nil
}

// guardOf returns the restriction that follows from a review.
func guardOf(r messages.DirectoryReview) messages.Guard {
	guard := messages.Guard{Digest: r.Digest, Ask: r.Ask}
	switch {
	case r.Empty:
		guard.Mode = messages.GuardQuiet
	case !r.Trusted:
		guard.Mode, guard.Withheld, guard.Problems = messages.GuardStrict, withoutSecrets(r.Findings), r.Problems
	}
	return guard
}

// withoutSecrets leaves out possible secrets: values of variables, and arguments
// of servers. Everybody who may view the session sees the findings.
func withoutSecrets(findings []messages.DirectoryFinding) []messages.DirectoryFinding {
	out := slices.Clone(findings)
	for i, f := range out {
		switch f.Kind {
		case "env":
			out[i].Text, _, _ = strings.Cut(f.Text, "=")
		case "server":
			name, command, _ := strings.Cut(f.Text, ": ")
			if program, _, _ := strings.Cut(command, " "); !strings.ContainsAny(program, "{@?") {
				name += ": " + program
			}
			out[i].Text = name
		case "setting", "helper":
			out[i].Text, _, _ = strings.Cut(f.Text, ":")
		case "git":
			out[i].Text, _, _ = strings.Cut(f.Text, " =")
		}
	}
	return out
}
