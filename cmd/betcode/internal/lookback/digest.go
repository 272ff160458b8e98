package lookback

import (
	"fmt"

	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

// Sums returns the totals of a digest: sessions, turns, failures, decisions and cost.
func Sums(d *pb.DigestResponse) []string {
	sums := []string{console.Count(len(d.GetSessions()), "session"), console.Count(d.GetTurns(), "turn")}
	if n := d.GetFailedTurns(); n > 0 {
		sums = append(sums, fmt.Sprintf("%d failed", n))
	}
	if n := d.GetDecisions(); n > 0 {
		sums = append(sums, console.Count(n, "decision"))
	}
	return append(sums, fmt.Sprintf("$%.2f", d.GetCostUsd()))
}
