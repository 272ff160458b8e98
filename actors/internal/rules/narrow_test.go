package rules

import "testing"

func TestNarrow(t *testing.T) {
	const want = "rule \"Bash(git push --force)\": it matches only the bare command; did you mean `git push --force *`?"
	for _, c := range []struct {
		allow, ask, deny string
		narrow           bool
	}{
		{"Bash(git *)", "", "Bash(git push --force)", true},
		{"Bash", "", "Bash(git push --force)", true},
		{"Bash(git *)", "Bash(git push --force)", "", true},
		{"Bash(git push:*)", "", "Bash(git push --force)", true},
		{"Bash(npm *)", "", "Bash(git push --force)", false},
		{"Bash(git push --force)", "", "Bash(git push --force)", false},
		{"Bash(git *)", "Bash(git push *)", "Bash(git push --force)", false},
		{"Bash(git *)", "", "Bash(git push --force *)", false},
		{"Bash(git *)", "", "Bash(git push --force:*)", false},
		{"Bash(git *)", "", "Bash(git * --force*)", false},
		{"Bash(git *)", "", "Bash", false},
		{"Read(*)", "", "Bash(git push --force)", false},
	} {
		var list []Rule
		for effect, text := range map[Effect]string{Allow: c.allow, Ask: c.ask, Deny: c.deny} {
			if text != "" {
				list = append(list, Rule{Effect: effect, Text: text})
			}
		}
		s, _ := New(list...)
		got := s.Narrow()
		if (len(got) == 1) != c.narrow || len(got) > 0 && got[0].Error() != want {
			t.Errorf("%+v: %v", c, got)
		}
		if s.Decide(bash("git push --force x")).Effect == Allow && !c.narrow {
			t.Errorf("%+v: the longer command is allowed without a warning", c)
		}
	}
}
