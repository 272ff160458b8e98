package translate

import (
	"math"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// Bounds of a search.
const (
	searchPage     = 20 // hits, if the request has no limit
	maxSearchPage  = 500
	maxSearchIn    = 10_000 // sessions
	maxSearchTools = 100
	maxSearchText  = 4 << 10 // bytes of each text
)

// searchKinds are the kinds of parts of a history, by their values of the API from 1.
var searchKinds = messages.SearchKinds

// SearchIn translates a search.
func SearchIn(r *pb.SearchRequest) (m messages.Search, err error) {
	const op = "search history"
	m = messages.Search{
		Text: r.GetQuery(), Name: r.GetName(), MinCost: r.GetMinCostUsd(), Tools: r.GetTools(), File: r.GetFile(), After: r.GetPageToken(),
		ByTime: r.GetOrder() == pb.SearchOrder_SEARCH_ORDER_TIME, Limit: searchPage,
	}
	if n := r.GetPageSize(); n > 0 {
		m.Limit = int(min(n, maxSearchPage))
	}
	if m.Directory, err = DirectoryIn(op, r.GetDirectory()); err != nil {
		return m, err
	}
	for name, text := range map[string]string{"query": m.Text, "name": m.Name, "file": m.File, "page_token": m.After} {
		if len(text) > maxSearchText {
			return m, wire.Invalid(op, "Give a shorter one.", "%s has %d bytes, more than %d", name, len(text), maxSearchText)
		}
	}
	switch {
	case math.IsNaN(m.MinCost) || m.MinCost < 0:
		return m, wire.Invalid(op, "Give an amount of US dollars.", "min_cost_usd is no amount")
	case strings.Contains(m.File, "/") && !filepath.IsAbs(m.File):
		return m, wire.Invalid(op, "Give an absolute path, or a name without a slash.", "file %q is relative", wire.Clip(m.File))
	case len(r.GetSessionIds()) > maxSearchIn:
		return m, wire.Invalid(op, "Name fewer sessions, or none to search all.", "%d sessions are named, more than %d", len(r.GetSessionIds()), maxSearchIn)
	case len(m.Tools) > maxSearchTools:
		return m, wire.Invalid(op, "Name fewer tools.", "%d tools are named, more than %d", len(m.Tools), maxSearchTools)
	case r.GetOrder() < 0 || r.GetOrder() > pb.SearchOrder_SEARCH_ORDER_TIME:
		return m, wire.Invalid(op, "Use a value of SearchOrder.", "order %d is unknown", r.GetOrder())
	}
	for _, id := range r.GetSessionIds() {
		session, err := SessionIn(op, id)
		if err != nil {
			return m, err
		}
		m.Sessions = append(m.Sessions, session)
	}
	for _, kind := range r.GetKinds() {
		if kind < 1 || int(kind) > len(searchKinds) {
			return m, wire.Invalid(op, "Use values of SearchKind.", "kind %d is unknown", kind)
		}
		m.Kinds = append(m.Kinds, searchKinds[kind-1])
	}
	for name, at := range map[string]*timestamppb.Timestamp{"since": r.GetSince(), "until": r.GetUntil()} {
		if at == nil {
			continue
		}
		if err := at.CheckValid(); err != nil {
			return m, wire.Invalid(op, "Give a valid timestamp.", "%s: %w", name, err)
		}
		if name == "since" {
			m.Since = at.AsTime()
		} else {
			m.Until = at.AsTime()
		}
	}
	return m, nil
}

// SearchOut translates a page of hits.
func SearchOut(found messages.SearchFound) *pb.SearchResponse {
	out := &pb.SearchResponse{
		Total: Saturate(uint64(max(found.Total, 0))), NextPageToken: found.Next, EventsBehind: found.Behind,
		DamagedSessions: Saturate(uint64(max(found.Damaged, 0))), IncompleteBefore: TimeOut(found.Dropped),
	}
	for _, h := range found.Hits {
		hit := &pb.SearchHit{
			SessionId: string(h.Session), SessionName: TextOut(h.Name), WorkingDirectory: TextOut(h.Directory), Sequence: uint64(h.Seq),
			Timestamp: TimeOut(h.At), Kind: searchKindOut(h.Kind), ToolName: TextOut(h.Tool), Snippet: TextOut(h.Snippet), Score: h.Score,
		}
		for _, m := range h.Matches {
			hit.Matches = append(hit.Matches, &pb.TextRange{Start: Uint32Of(int64(m.Start)), End: Uint32Of(int64(m.End))})
		}
		out.Hits = append(out.Hits, hit)
	}
	return out
}

func searchKindOut(kind messages.SearchKind) pb.SearchKind {
	for i, known := range searchKinds {
		if kind == known {
			return pb.SearchKind(i + 1) //nolint:gosec // there are few
		}
	}
	return pb.SearchKind_SEARCH_KIND_UNSPECIFIED
}

// Bounds of a digest.
const (
	digestSessions    = 50 // if the request has no limit
	maxDigestSessions = 200
)

// DigestIn translates a request for a digest.
func DigestIn(r *pb.DigestRequest) (m messages.GetDigest, err error) {
	const op = "sum up history"
	if r.GetSince() == nil || r.GetSince().CheckValid() != nil {
		return m, wire.Invalid(op, "Give the time from when on, for example an hour ago.", "since is missing or no time")
	}
	m = messages.GetDigest{Since: r.GetSince().AsTime(), Limit: digestSessions}
	if n := r.GetLimit(); n > 0 {
		m.Limit = int(min(n, maxDigestSessions))
	}
	m.Directory, err = DirectoryIn(op, r.GetDirectory())
	return m, err
}

// DigestOut translates a digest, with its totals.
func DigestOut(d messages.Digest) *pb.DigestResponse {
	out := &pb.DigestResponse{Since: TimeOut(d.Since), Until: TimeOut(d.Until), MoreSessions: Uint32Of(int64(d.More))}
	for i := range d.Sessions {
		s := &d.Sessions[i]
		session := &pb.SessionDigest{
			SessionId: string(s.Session), SessionName: TextOut(s.Name), WorkingDirectory: TextOut(s.Directory), ParentSessionId: string(s.Parent),
			FirstSequence: uint64(s.First), LastSequence: uint64(s.Last), LastAt: TimeOut(s.LastAt), Messages: Uint32Of(int64(s.Messages)),
			Turns: Uint32Of(int64(s.Turns)), FailedTurns: Uint32Of(int64(s.Failed)), LastError: TextOut(s.LastError), CostUsd: s.CostUSD,
			FilesChangedTotal: Uint32Of(int64(s.FilesTotal)), DecisionsTotal: Uint32Of(int64(s.Decided)), Undecided: Uint32Of(int64(s.Undecided)),
			LastText: TextOut(s.LastText), Notices: s.Notices, Partial: s.Partial,
		}
		for _, file := range s.Files {
			session.FilesChanged = append(session.FilesChanged, TextOut(file))
		}
		for _, decision := range s.Decisions {
			session.Decisions = append(session.Decisions, &pb.DigestDecision{
				Request: TextOut(decision.Request), Outcome: decision.Outcome, DecidedBy: TextOut(decision.By), DecidedAt: TimeOut(decision.At),
			})
		}
		out.Sessions = append(out.Sessions, session)
		out.Turns, out.FailedTurns, out.Decisions = out.GetTurns()+session.GetTurns(), out.GetFailedTurns()+session.GetFailedTurns(), out.GetDecisions()+session.GetDecisionsTotal()
		out.CostUsd += session.GetCostUsd()
	}
	return out
}
