package notices

import (
	"fmt"
	"slices"
	"strings"

	"betcode/actors/internal/notify"
	"betcode/messages/visible"
)

// digestCode is the code of a notice that lists others.
const digestCode = "DIGEST"

// maxListed bounds the lines of a digest.
const maxListed = 20

// digest returns one notice for several: the requests first, because a person has to act on them.
func digest(batch []delivery) notify.Notice {
	if len(batch) == 1 {
		return batch[0].Notice
	}
	var asks, rest []string
	for _, d := range batch {
		line := d.Notice.Message
		if d.Notice.Name != "" {
			line = d.Notice.Name + ": " + line
		}
		if d.Notice.Request() != "" {
			asks = append(asks, visible.Line(line))
		} else {
			rest = append(rest, visible.Line(line))
		}
	}
	all := slices.Concat(asks, rest)
	more := len(all) - maxListed
	if more > 0 {
		all = append(all[:maxListed], fmt.Sprintf("and %d more", more))
	}
	text := fmt.Sprintf("While you were away: %d requests, %d other notices.", len(asks), len(rest))
	newest := batch[len(batch)-1].Notice
	return notify.Notice{Code: digestCode, Message: text + "\n" + strings.Join(all, "\n"), Session: newest.Session, At: newest.At}
}
