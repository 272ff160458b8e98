package budget

import (
	"testing"
	"time"

	"betcode/messages"
)

func TestWords(t *testing.T) {
	for want, l := range map[string]messages.BudgetLimit{
		"no limit":                     {},
		"$1.50":                        {Micros: 1_500_000},
		"$0.000001, 7 tokens":          {Micros: 1, Tokens: 7},
		"$12.00, 1000 tokens, 1h30m0s": {Micros: 12_000_000, Tokens: 1000, Work: 90 * time.Minute},
	} {
		if got := LimitText(l); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	s := messages.Spent{Micros: 250_000, Tokens: 3, Work: 1700 * time.Millisecond, Unknown: 2}
	if got, want := UsedText(messages.BudgetLimit{Tokens: 5}, s), "$0.25, 3 tokens, 2s (and 2 of unknown cost) of 5 tokens"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
