package grpcapi

import (
	"context"
	"time"

	"betcode/grpcapi/auth"
	"betcode/grpcapi/translate"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// tokens returns the store of tokens.
func (s accessService) tokens(op string) (auth.Tokens, error) {
	if s.server.options.Tokens == nil {
		return nil, messages.Errorf(op, messages.Unimplemented, "this daemon keeps no tokens")
	}
	return s.server.options.Tokens, nil
}

// CreateAccessToken implements AccessService.
func (s accessService) CreateAccessToken(_ context.Context, r *pb.CreateAccessTokenRequest) (*pb.CreateAccessTokenResponse, error) {
	const op = "create token"
	store, err := s.tokens(op)
	if err != nil {
		return nil, err
	}
	rights, err := messages.ParseRights(r.GetScopes())
	if err != nil {
		return nil, err
	}
	var expires time.Time
	if at := r.GetExpiresAt(); at != nil {
		if err := at.CheckValid(); err != nil {
			return nil, wire.Invalid(op, "Give a valid time in the future, or none.", "expires_at: %w", err)
		}
		expires = at.AsTime()
	}
	secret, made, err := store.Create(messages.Token{Name: r.GetName(), Rights: rights, ExpiresAt: expires, Person: r.GetPerson(), Shared: r.GetShared()})
	if err != nil {
		return nil, err
	}
	return &pb.CreateAccessTokenResponse{Secret: secret, Token: translate.TokenOut(made)}, nil
}

// ListAccessTokens implements AccessService.
func (s accessService) ListAccessTokens(context.Context, *pb.ListAccessTokensRequest) (*pb.ListAccessTokensResponse, error) {
	store, err := s.tokens("list tokens")
	if err != nil {
		return nil, err
	}
	list, err := store.List()
	if err != nil {
		return nil, err
	}
	out := &pb.ListAccessTokensResponse{}
	for _, t := range list {
		out.Tokens = append(out.Tokens, translate.TokenOut(t))
	}
	return out, nil
}

// GetCaller implements AccessService.
func (s accessService) GetCaller(ctx context.Context, _ *pb.GetCallerRequest) (*pb.GetCallerResponse, error) {
	c := auth.CallOf(ctx)
	token, expires := c.Token()
	out := &pb.GetCallerResponse{Token: token, Scopes: c.Rights.Names(), ExpiresAt: translate.TimeOut(expires), Person: c.Person, Shared: c.Limited}
	if !c.Limited {
		return out, nil
	}
	shared, err := s.server.options.Tokens.Members("", c.Person)
	if err != nil {
		return nil, err
	}
	for _, m := range shared {
		out.Memberships = append(out.Memberships, translate.MemberOut(m))
	}
	return out, nil
}

// RevokeAccessToken implements AccessService.
func (s accessService) RevokeAccessToken(_ context.Context, r *pb.RevokeAccessTokenRequest) (*pb.RevokeAccessTokenResponse, error) {
	store, err := s.tokens("revoke token")
	if err != nil {
		return nil, err
	}
	return &pb.RevokeAccessTokenResponse{}, store.Revoke(r.GetName())
}
