package gateways

import (
	"context"

	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/cmd/betcode/internal/client"
	"betcode/gateway/portal"
	pb "betcode/proto/betcode/v1"
)

// portalTokens implements [portal.Tokens] with the rights of the user.
type portalTokens struct{ client *client.Client }

// Create implements [portal.Tokens].
func (t portalTokens) Create(ctx context.Context, of portal.Login) (string, error) {
	made, err := t.client.Access.CreateAccessToken(ctx, &pb.CreateAccessTokenRequest{
		Name: of.Name, Person: of.Person, Scopes: of.Scopes, Shared: of.Shared, ExpiresAt: timestamppb.New(of.Expires),
	})
	return made.GetSecret(), portalError(err)
}

// Revoke implements [portal.Tokens].
func (t portalTokens) Revoke(ctx context.Context, name string) error {
	_, err := t.client.Access.RevokeAccessToken(ctx, &pb.RevokeAccessTokenRequest{Name: name})
	return portalError(err)
}

// Members implements [portal.Members].
func (d portalDaemon) Members(ctx context.Context, session string) ([]*pb.Member, error) {
	list, err := d.client.Access.ListMembers(ctx, &pb.ListMembersRequest{SessionId: session})
	return list.GetMembers(), portalError(err)
}

// Share implements [portal.Members].
func (d portalDaemon) Share(ctx context.Context, session, person, role string) (*pb.Member, error) {
	made, err := d.client.Access.ShareSession(ctx, &pb.ShareSessionRequest{SessionId: session, Person: person, Role: role})
	return made.GetMember(), portalError(err)
}

// Unshare implements [portal.Members].
func (d portalDaemon) Unshare(ctx context.Context, session, person string) error {
	_, err := d.client.Access.UnshareSession(ctx, &pb.UnshareSessionRequest{SessionId: session, Person: person})
	return portalError(err)
}

// AccessTokens implements [portal.Members].
func (d portalDaemon) AccessTokens(ctx context.Context) ([]*pb.AccessToken, error) {
	list, err := d.client.Access.ListAccessTokens(ctx, &pb.ListAccessTokensRequest{})
	return list.GetTokens(), portalError(err)
}

// ProxyTokens implements [portal.ProxyTokens].
func (d portalDaemon) ProxyTokens(ctx context.Context) ([]*pb.AccessToken, error) {
	list, err := d.client.Access.ListProxyTokens(ctx, &pb.ListProxyTokensRequest{})
	return list.GetTokens(), portalError(err)
}

// CreateProxyToken implements [portal.ProxyTokens].
func (d portalDaemon) CreateProxyToken(ctx context.Context, title string, days uint32) (string, *pb.AccessToken, error) {
	made, err := d.client.Access.CreateProxyToken(ctx, &pb.CreateProxyTokenRequest{Title: title, Days: days})
	return made.GetSecret(), made.GetToken(), portalError(err)
}

// RenewProxyToken implements [portal.ProxyTokens].
func (d portalDaemon) RenewProxyToken(ctx context.Context, id string, days uint32) (string, *pb.AccessToken, error) {
	renewed, err := d.client.Access.RenewProxyToken(ctx, &pb.RenewProxyTokenRequest{Id: id, Days: days})
	return renewed.GetSecret(), renewed.GetToken(), portalError(err)
}

// RevokeProxyToken implements [portal.ProxyTokens].
func (d portalDaemon) RevokeProxyToken(ctx context.Context, id string) error {
	_, err := d.client.Access.RevokeProxyToken(ctx, &pb.RevokeProxyTokenRequest{Id: id})
	return portalError(err)
}
