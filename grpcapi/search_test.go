package grpcapi

import (
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/grpcapi/auth"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// A search reaches the actors with all its fields, and its hits are returned.
func TestSearch(t *testing.T) {
	at := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	var asked messages.Search
	a := &fakeAsker{answer: func(r messages.Request) (messages.Reply, error) {
		asked = r.(messages.Search) //nolint:forcetypeassert // nothing else is asked
		return messages.SearchFound{Total: 7, Next: "n", Behind: 3, Damaged: 1, Dropped: at, Hits: []messages.SearchHit{{
			Session: sessionA, Name: "x", Directory: "/w", Seq: 9, At: at, Kind: messages.SearchResult, Tool: "Bash", Snippet: "a b", Matches: []messages.TextRange{{Start: 2, End: 3}}, Score: 1.5,
		}}}, nil
	}}
	conn, _ := serveCaller(t, Options{Asker: a}, auth.Unrestricted)
	found, err := pb.NewSearchServiceClient(conn).Search(t.Context(), &pb.SearchRequest{
		Query: "b", SessionIds: []string{sessionA}, Directory: "/w", Name: "x", MinCostUsd: 2, Kinds: []pb.SearchKind{pb.SearchKind_SEARCH_KIND_RESULT}, Tools: []string{"Bash"},
		File: "main.go", Since: timestamppb.New(at), Until: timestamppb.New(at), Order: pb.SearchOrder_SEARCH_ORDER_TIME, PageSize: 3, PageToken: "p",
	})
	if err != nil {
		t.Fatal(err)
	}
	hit := found.GetHits()[0]
	if found.GetTotal() != 7 || found.GetNextPageToken() != "n" || found.GetEventsBehind() != 3 || found.GetDamagedSessions() != 1 || !found.GetIncompleteBefore().AsTime().Equal(at) ||
		hit.GetSessionId() != sessionA || hit.GetSequence() != 9 || hit.GetKind() != pb.SearchKind_SEARCH_KIND_RESULT || hit.GetMatches()[0].GetStart() != 2 || hit.GetToolName() != "Bash" {
		t.Errorf("%v", found)
	}
	if asked.Text != "b" || asked.Sessions[0] != sessionA || asked.Directory != "/w" || asked.Name != "x" || asked.MinCost != 2 || asked.Kinds[0] != messages.SearchResult ||
		asked.Tools[0] != "Bash" || asked.File != "main.go" || !asked.Since.Equal(at) || !asked.Until.Equal(at) || !asked.ByTime || asked.Limit != 3 || asked.After != "p" || asked.Confined {
		t.Errorf("%+v", asked)
	}
}

// A limited token searches only shared sessions, whichever it names.
func TestLimitedSearch(t *testing.T) {
	var asked messages.Search
	a := &fakeAsker{answer: func(r messages.Request) (messages.Reply, error) {
		asked = r.(messages.Search) //nolint:forcetypeassert // nothing else is asked
		return messages.SearchFound{}, nil
	}}
	conn, _, ctx := limitedCaller(t, a, messages.RoleViewer)
	for name, c := range map[string]struct {
		ids  []string
		want int
	}{"all": {nil, 1}, "its own": {[]string{sessionA}, 1}, "another": {[]string{sessionB}, 0}, "both": {[]string{sessionA, sessionB}, 1}} {
		if _, err := pb.NewSearchServiceClient(conn).Search(ctx(), &pb.SearchRequest{Query: "b", SessionIds: c.ids}); err != nil {
			t.Fatal(err)
		}
		if !asked.Confined || asked.Sessions == nil || len(asked.Sessions) != c.want || c.want == 1 && asked.Sessions[0] != sessionA {
			t.Errorf("%s: %+v", name, asked)
		}
	}
	if _, err := pb.NewSearchServiceClient(conn).Digest(ctx(), &pb.DigestRequest{Since: timestamppb.Now()}); status.Code(err) != codes.PermissionDenied {
		t.Errorf("a digest: %v", err)
	}
}

func TestDigest(t *testing.T) {
	at := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	a := &fakeAsker{answer: func(messages.Request) (messages.Reply, error) {
		one := messages.SessionDigest{Session: sessionA, Turns: 2, Failed: 1, CostUSD: 0.5, Decided: 1, Decisions: []messages.DigestDecision{{Request: "x", Outcome: "denied", By: "c", At: at}}}
		return messages.Digest{Since: at, Until: at, Sessions: []messages.SessionDigest{one, one}, More: 4}, nil
	}}
	conn, _ := serveCaller(t, Options{Asker: a}, auth.Unrestricted)
	d, err := pb.NewSearchServiceClient(conn).Digest(t.Context(), &pb.DigestRequest{Since: timestamppb.New(at)})
	if err != nil || d.GetTurns() != 4 || d.GetFailedTurns() != 2 || d.GetCostUsd() != 1 || d.GetDecisions() != 2 || d.GetMoreSessions() != 4 || d.GetSessions()[1].GetDecisions()[0].GetOutcome() != "denied" {
		t.Errorf("%v, %v", d, err)
	}
	if _, err := pb.NewSearchServiceClient(conn).Digest(t.Context(), &pb.DigestRequest{}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("without a time: %v", err)
	}
}
