package orchestration

import (
	"strings"
)

// Bounds of text that goes from one step to others, in bytes.
const (
	maxSummary = 4 << 10  // of the result of a step
	maxProblem = 1 << 10  // of the reason of a failure
	maxContext = 64 << 10 // of all results before one prompt
)

// prompt returns the prompt of a step's agent: the results of the steps that it depends on, in the order of the plan, then the
// prompt of the plan. Only results from before the attempt began count, so that the prompt is the same after a restart: a
// failed step may be retried while others go on without it.
func (s *state) prompt(i int) string {
	var b strings.Builder
	left := 0
	for _, n := range s.needs[i] {
		if d := s.steps[n]; d.summary == "" || d.doneSeq == 0 || d.doneSeq > s.steps[i].startSeq {
			continue
		}
		entry := "[Context from step " + s.Plan.Steps[n].ID + "]: " + s.steps[n].summary + "\n\n"
		if b.Len()+len(entry) > maxContext {
			left++
			continue
		}
		b.WriteString(entry)
	}
	if left > 0 {
		b.WriteString("[The results of " + itoa(left) + " other steps are left out, because they are too long.]\n\n")
	}
	b.WriteString(s.Plan.Steps[i].Prompt)
	return b.String()
}

// bounded cuts text to a number of bytes.
func bounded(text string, most int) string {
	const mark = "…"
	text = strings.ToValidUTF8(text, "?")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len(mark)], "") + mark
}
