package base

import (
	"fmt"
	"strings"
	"time"

	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

// Spending describes what was consumed, and marks unknown parts.
func Spending(s *pb.Spending) string {
	text := fmt.Sprintf("%s, %s, %s of work in %s", USD(s.GetCostMicros()), console.Count(s.GetTokens(), "token"), milliseconds(s.GetWorkMs()),
		console.Count(s.GetTurns(), "turn"))
	if n := s.GetUnknown(); n > 0 {
		text += fmt.Sprintf("; the cost of %d is unknown", n)
	}
	return text
}

// Limits describes the limits.
func Limits(l *pb.Budget) string {
	var parts []string
	if l.GetCostMicros() > 0 {
		parts = append(parts, USD(l.GetCostMicros()))
	}
	if l.GetTokens() > 0 {
		parts = append(parts, console.Count(l.GetTokens(), "token"))
	}
	if l.GetWorkMs() > 0 {
		parts = append(parts, milliseconds(l.GetWorkMs()))
	}
	if len(parts) == 0 {
		return "no limit"
	}
	return strings.Join(parts, ", ")
}

// USD shows cents, and the digits behind them if there are any.
func USD(micros uint64) string {
	if micros%10_000 == 0 {
		return fmt.Sprintf("$%d.%02d", micros/1_000_000, micros%1_000_000/10_000)
	}
	return fmt.Sprintf("$%d.%06d", micros/1_000_000, micros%1_000_000)
}

func milliseconds(ms uint64) string {
	d := time.Duration(min(ms, 1<<53)) * time.Millisecond
	if d >= time.Minute {
		return console.Span(d)
	}
	return d.String()
}
