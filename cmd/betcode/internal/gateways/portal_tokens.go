package gateways

import (
	"context"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/cmd/betcode/internal/client"
	pb "betcode/proto/betcode/v1"
)

// portalTokens implements [portal.Tokens] with the rights of the user.
type portalTokens struct{ client *client.Client }

// Create implements [portal.Tokens].
func (t portalTokens) Create(ctx context.Context, name, person string, scopes []string, expires time.Time) (string, error) {
	made, err := t.client.Access.CreateAccessToken(ctx, &pb.CreateAccessTokenRequest{
		Name: name, Person: person, Scopes: scopes, ExpiresAt: timestamppb.New(expires),
	})
	return made.GetSecret(), told(err)
}

// Revoke implements [portal.Tokens].
func (t portalTokens) Revoke(ctx context.Context, name string) error {
	_, err := t.client.Access.RevokeAccessToken(ctx, &pb.RevokeAccessTokenRequest{Name: name})
	return told(err)
}

// ProxyTokens implements [portal.ProxyTokens].
func (d portalDaemon) ProxyTokens(ctx context.Context) ([]*pb.AccessToken, error) {
	list, err := d.client.Access.ListProxyTokens(ctx, &pb.ListProxyTokensRequest{})
	return list.GetTokens(), told(err)
}

// CreateProxyToken implements [portal.ProxyTokens].
func (d portalDaemon) CreateProxyToken(ctx context.Context, title string, days uint32) (string, *pb.AccessToken, error) {
	made, err := d.client.Access.CreateProxyToken(ctx, &pb.CreateProxyTokenRequest{Title: title, Days: days})
	return made.GetSecret(), made.GetToken(), told(err)
}

// RenewProxyToken implements [portal.ProxyTokens].
func (d portalDaemon) RenewProxyToken(ctx context.Context, id string, days uint32) (string, *pb.AccessToken, error) {
	renewed, err := d.client.Access.RenewProxyToken(ctx, &pb.RenewProxyTokenRequest{Id: id, Days: days})
	return renewed.GetSecret(), renewed.GetToken(), told(err)
}

// RevokeProxyToken implements [portal.ProxyTokens].
func (d portalDaemon) RevokeProxyToken(ctx context.Context, id string) error {
	_, err := d.client.Access.RevokeProxyToken(ctx, &pb.RevokeProxyTokenRequest{Id: id})
	return told(err)
}
