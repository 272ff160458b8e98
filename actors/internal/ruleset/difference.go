package ruleset

import "betcode/actors/internal/rules"

// Difference is the difference between two lists of rules: rules as texts with their source, in the order of their lists.
type Difference struct {
	Added, Removed []string
	Widened        []string // the changes that let agents do more
}

// Empty reports whether nothing has changed.
func (d Difference) Empty() bool { return len(d.Added)+len(d.Removed) == 0 }

// Compare compares two lists of rules. The place of a rule within a file does not matter; its file does.
func Compare(before, now []rules.Rule) Difference {
	inFile := func(r rules.Rule) string { return r.Effect.String() + "\x00" + r.Text + "\x00" + r.Source }
	anywhere := func(r rules.Rule) string { return r.Effect.String() + "\x00" + r.Text }
	oldFiles, newFiles := index(before, inFile), index(now, inFile)
	oldTexts, newTexts := index(before, anywhere), index(now, anywhere)
	var d Difference
	for _, r := range now {
		if oldFiles[inFile(r)] {
			continue
		}
		d.Added = append(d.Added, r.String())
		if r.Effect == rules.Allow && !oldTexts[anywhere(r)] {
			d.Widened = append(d.Widened, "added "+r.String())
		}
	}
	for _, r := range before {
		if newFiles[inFile(r)] {
			continue
		}
		d.Removed = append(d.Removed, r.String())
		if r.Effect != rules.Allow && !newTexts[anywhere(r)] {
			d.Widened = append(d.Widened, "removed "+r.String())
		}
	}
	return d
}

// index is the set of keys of a list.
func index(list []rules.Rule, key func(rules.Rule) string) map[string]bool {
	all := make(map[string]bool, len(list))
	for _, r := range list {
		all[key(r)] = true
	}
	return all
}
