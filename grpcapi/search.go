package grpcapi

import (
	"context"
	"slices"

	"betcode/grpcapi/auth"
	"betcode/grpcapi/handler"
	"betcode/grpcapi/translate"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// searchService is SearchService.
type searchService struct {
	pb.UnimplementedSearchServiceServer
	server *Server
}

// Search implements SearchService. A limited caller searches only the sessions that are shared with its person.
func (s searchService) Search(ctx context.Context, r *pb.SearchRequest) (*pb.SearchResponse, error) {
	m, err := translate.SearchIn(r)
	if c := auth.CallOf(ctx); err == nil && c.Limited {
		m.Confined = true
		m.Sessions, err = s.shared(c, m.Sessions)
	}
	return handler.Unary(ctx, s.server.patient(), m, err, translate.SearchOut)
}

// shared returns which of the named sessions are shared with a limited caller; all shared sessions if none is named.
func (s searchService) shared(c *auth.Call, named []messages.SessionID) ([]messages.SessionID, error) {
	members, err := s.server.options.Tokens.Members("", c.Person)
	sessions := []messages.SessionID{}
	for _, member := range members {
		if named == nil || slices.Contains(named, member.Session) {
			sessions = append(sessions, member.Session)
		}
	}
	return sessions, err
}

// Digest implements SearchService.
func (s searchService) Digest(ctx context.Context, r *pb.DigestRequest) (*pb.DigestResponse, error) {
	m, err := translate.DigestIn(r)
	return handler.Unary(ctx, s.server.patient(), m, err, translate.DigestOut)
}
