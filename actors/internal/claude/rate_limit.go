package claude

import (
	"regexp"
	"strconv"
	"time"
)

// codeRateLimited is the code of a failure because of a limit of the account, from the
// catalogue.
const codeRateLimited = "RATE_LIMITED"

// statusTooMany is the HTTP status of a request that a limit refuses.
const statusTooMany = 429

// rateLimit translates the agent's report of a limit of the account's plan.
func (t *translation) rateLimit() {
	r := &t.l.RateLimit
	if r.Status == "allowed" {
		return // such a line comes with every request
	}
	var resets, used string
	end := instant(r.ResetsAt)
	if !end.IsZero() {
		resets = end.Format(time.RFC3339)
	}
	if r.Utilization > 0 {
		used = strconv.FormatFloat(r.Utilization, 'f', -1, 64)
	}
	t.notice("RATE_LIMIT", "The account is near or over a limit of its plan.",
		"status", r.Status, "limit", r.Type, "resets_at", resets,
		"utilization", used)
	if r.Status == "rejected" {
		t.add(RateLimited{Until: end, Kind: short(r.Type)})
	}
}

// limitText matches the end of a limit in older versions: "… limit reached|1795166400".
var limitText = regexp.MustCompile(`limit reached\|(\d{9,11})\b`)

// limitEnd returns the end of the limit in the text of a failed turn, zero if there is none.
func limitEnd(text string) time.Time {
	found := limitText.FindStringSubmatch(text)
	if found == nil {
		return time.Time{}
	}
	seconds, err := strconv.ParseInt(found[1], 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

// instant converts seconds since 1970, zero if the number is not a valid time.
func instant(seconds float64) time.Time {
	at := clampInt(seconds, uint64(1<<37))
	if at <= 0 {
		return time.Time{}
	}
	return time.Unix(int64(at), 0).UTC()
}
