package conformance

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"

	"google.golang.org/genproto/googleapis/rpc/code"
)

// verdict is what became of a row.
type verdict struct {
	row
	failure string // empty if it passed
	shownBy string // how we know
}

// run has the evidence that the stories collected.
type run struct {
	contract contract
	wire     *record
	claims   map[string][]string // id of a row to the stories that claim it
}

// judge decides about a row.
func (r *run) judge(it row) verdict {
	v := verdict{row: it}
	stories := r.claims[it.id]
	slices.Sort(stories)
	claimed := strings.Join(slices.Compact(stories), ", ")
	if it.planned != "" {
		if claimed != "" || it.kind == rpc && r.contract.rpc(it) == nil && r.wire.calls[it.id] {
			v.failure = "it is there, and listed as planned"
		}
		return v
	}
	if err := r.contract.described(it); err != nil && it.deviation == "" {
		v.failure = err.Error()
		return v
	}
	v.failure, v.shownBy = r.evidence(it, claimed)
	if claimed != "" {
		v.shownBy = claimed
	}
	if it.tests != nil {
		v.failure, v.shownBy = it.tests.missing(), it.tests.String()
		if claimed != "" {
			v.shownBy = claimed + "; " + v.shownBy
		}
	}
	if it.deviation != "" {
		v.failure = "" // it differs from the document by decision, so evidence is not required
	}
	return v
}

// evidence returns the missing evidence, or else the evidence of the row.
func (r *run) evidence(it row, claimed string) (failure, shownBy string) {
	switch it.kind {
	case rpc:
		if !r.wire.calls[it.id] {
			return "no call succeeded", ""
		}
		return "", "called"
	case field:
		switch in, out := r.contract.in[it.owner], r.contract.out[it.owner]; {
		case out && r.wire.received[it.id]:
			return "", "received"
		case out && !in:
			return "never received with a value", ""
		case in && claimed == "":
			return "no story claims it", ""
		case !in && !out:
			return "", "declared; no call carries it"
		}
		return "", claimed
	case value:
		return "", "declared"
	case statusRow:
		if !r.wire.statuses[codes.Code(it.number)] && claimed == "" {
			return "no call ended with it", ""
		}
		return "", "received"
	case errorRow:
		return r.errorCode(it)
	}
	if claimed == "" {
		return "no story claims it", ""
	}
	return "", claimed
}

// errorCode looks at the statuses that an error code came with. As an event of a
// stream it has none.
func (r *run) errorCode(it row) (failure, shownBy string) {
	seen := r.wire.reasons[it.member]
	if len(seen) == 0 {
		return "no client was told so", ""
	}
	want := codes.Code(code.Code_value[it.says])
	for status := range seen {
		if status != codes.OK && status != want {
			return fmt.Sprintf("it came with %s", status), ""
		}
	}
	if seen[want] {
		return "", "received"
	}
	return "", "received as an ErrorEvent"
}
