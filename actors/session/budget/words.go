package budget

import (
	"fmt"
	"time"

	"betcode/actors/internal/texts"
	"betcode/messages"
)

// UsedText says how much of each limit is used.
func UsedText(l messages.BudgetLimit, s messages.Spent) string {
	return spentText(s) + " of " + LimitText(l)
}

// spentText says what was consumed.
func spentText(s messages.Spent) string {
	text := fmt.Sprintf("%s, %d tokens, %s", usd(s.Micros), s.Tokens, texts.Duration(s.Work.Round(time.Second)))
	if s.Unknown > 0 {
		text += fmt.Sprintf(" (and %d of unknown cost)", s.Unknown)
	}
	return text
}

// LimitText says what the limits are.
func LimitText(l messages.BudgetLimit) string {
	var text string
	add := func(set bool, part string) {
		if set && text != "" {
			text += ", "
		}
		if set {
			text += part
		}
	}
	add(l.Micros > 0, usd(l.Micros))
	add(l.Tokens > 0, fmt.Sprintf("%d tokens", l.Tokens))
	add(l.Work > 0, texts.Duration(l.Work))
	if text == "" {
		return "no limit"
	}
	return text
}

// usd shows at least cents, and no digits of nothing.
func usd(micros uint64) string {
	if micros%10_000 == 0 {
		return fmt.Sprintf("$%d.%02d", micros/1_000_000, micros%1_000_000/10_000)
	}
	return fmt.Sprintf("$%d.%06d", micros/1_000_000, micros%1_000_000)
}
