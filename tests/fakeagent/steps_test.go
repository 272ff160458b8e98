package main

import "testing"

// Lines without a verb belong to the step above them, also when that has no argument.
func TestParseStepsOfSeveralLines(t *testing.T) {
	for prompt, want := range map[string][]string{
		"hello\nworld":           {"hello\nworld"},
		"echo:a\nb\nrun:ls":      {"a\nb", "ls"},
		"crlf\nhello\necho:done": {"\nhello", "done"},
		"exit\nhello":            {"\nhello"},
	} {
		steps := parseSteps(prompt)
		if len(steps) != len(want) {
			t.Errorf("%q: %d steps, want %d", prompt, len(steps), len(want))
			continue
		}
		for i, s := range steps {
			if s.do == nil || s.arg != want[i] {
				t.Errorf("%q: step %d has the argument %q, want %q, and nothing to do: %v", prompt, i, s.arg, want[i], s.do == nil)
			}
		}
	}
}
