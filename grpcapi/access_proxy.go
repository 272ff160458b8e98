package grpcapi

import (
	"context"
	"slices"
	"time"

	"betcode/grpcapi/auth"
	"betcode/grpcapi/translate"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// maxProxyDays bounds the validity of a proxy's token.
const maxProxyDays = 366

func expiryIn(op string, days uint32) (time.Time, error) {
	if days < 1 || days > maxProxyDays {
		return time.Time{}, wire.Invalid(op, "Give 1 to 366 days.", "it would be valid for %d days", days)
	}
	return time.Now().AddDate(0, 0, int(days)), nil
}

// CreateProxyToken implements AccessService. The token belongs to the person of the caller.
func (s accessService) CreateProxyToken(ctx context.Context, r *pb.CreateProxyTokenRequest) (*pb.CreateProxyTokenResponse, error) {
	const op = "create token of proxy"
	store, err := s.tokens(op)
	if err != nil {
		return nil, err
	}
	expires, err := expiryIn(op, r.GetDays())
	if err != nil {
		return nil, err
	}
	secret, made, err := store.Sign(messages.Token{
		Title: wire.Printable(r.GetTitle()), Rights: messages.MayProxy, Person: auth.CallOf(ctx).Person, ExpiresAt: expires,
	})
	if err != nil {
		return nil, err
	}
	return &pb.CreateProxyTokenResponse{Secret: secret, Token: translate.TokenOut(made)}, nil
}

// ListProxyTokens implements AccessService.
func (s accessService) ListProxyTokens(ctx context.Context, _ *pb.ListProxyTokensRequest) (*pb.ListProxyTokensResponse, error) {
	all, err := s.proxyTokens(ctx, "list tokens of proxies")
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b messages.Token) int { return b.CreatedAt.Compare(a.CreatedAt) })
	out := &pb.ListProxyTokensResponse{}
	for _, t := range all {
		out.Tokens = append(out.Tokens, translate.TokenOut(t))
	}
	return out, nil
}

// RenewProxyToken implements AccessService.
func (s accessService) RenewProxyToken(ctx context.Context, r *pb.RenewProxyTokenRequest) (*pb.RenewProxyTokenResponse, error) {
	const op = "renew token of proxy"
	expires, err := expiryIn(op, r.GetDays())
	if err != nil {
		return nil, err
	}
	t, err := s.proxyToken(ctx, op, r.GetId())
	if err != nil {
		return nil, err
	}
	secret, renewed, err := s.server.options.Tokens.Renew(t.Name, expires)
	if err != nil {
		return nil, err
	}
	return &pb.RenewProxyTokenResponse{Secret: secret, Token: translate.TokenOut(renewed)}, nil
}

// RevokeProxyToken implements AccessService.
func (s accessService) RevokeProxyToken(ctx context.Context, r *pb.RevokeProxyTokenRequest) (*pb.RevokeProxyTokenResponse, error) {
	t, err := s.proxyToken(ctx, "revoke token of proxy", r.GetId())
	if err != nil {
		return nil, err
	}
	return &pb.RevokeProxyTokenResponse{}, s.server.options.Tokens.Revoke(t.Name)
}

// proxyTokens returns the tokens of proxies that the caller may see.
func (s accessService) proxyTokens(ctx context.Context, op string) ([]messages.Token, error) {
	store, err := s.tokens(op)
	if err != nil {
		return nil, err
	}
	all, err := store.List()
	if err != nil {
		return nil, err
	}
	c := auth.CallOf(ctx)
	return slices.DeleteFunc(all, func(t messages.Token) bool {
		return t.ID == "" || t.Person != c.Person && !c.Rights.Has(messages.MayAdmin)
	}), nil
}

// proxyToken returns the token of a proxy with an id. The error is the same for unknown tokens and for
// tokens of others.
func (s accessService) proxyToken(ctx context.Context, op, id string) (messages.Token, error) {
	all, err := s.proxyTokens(ctx, op)
	if err != nil {
		return messages.Token{}, err
	}
	i := slices.IndexFunc(all, func(t messages.Token) bool { return t.ID == id })
	if i < 0 {
		return messages.Token{}, messages.Errorf(op, messages.NotFound, "there is no such token").
			WithHint("'betcode token list' shows them")
	}
	return all[i], nil
}
