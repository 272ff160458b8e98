package grpcapi

import (
	"slices"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/grpcapi/auth"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// A proxy's token belongs to the person who created it. Only that person and admins see and change it.
func TestProxyTokens(t *testing.T) {
	tokens := &fakeTokens{}
	for name, r := range map[string]messages.Rights{"phone-1": messages.MayView | messages.MayControl, "phone-2": messages.MayView | messages.MayControl} {
		tokens.Create(messages.Token{Name: name, Rights: r, Person: "phone"})
	}
	tokens.Create(messages.Token{Name: "desk", Rights: messages.MayView | messages.MayControl})
	tokens.Create(messages.Token{Name: "viewer", Rights: messages.MayView, Person: "phone"})
	tokens.Create(messages.Token{Name: "proxy", Rights: messages.MayProxy, Person: "phone"})
	tokens.Create(messages.Token{Name: "owner", Rights: messages.MayEverything, Person: "owner"})
	conn, _ := serveCaller(t, Options{Asker: &fakeAsker{}, Tokens: tokens}, auth.Unrestricted)
	access := pb.NewAccessServiceClient(conn)
	made := must[*pb.CreateProxyTokenResponse](t)(access.CreateProxyToken(presenting(t, "secret-phone-1"), &pb.CreateProxyTokenRequest{Title: "laptop", Days: 30}))
	if got := made.GetToken(); got.GetPerson() != "phone" || !slices.Equal(got.GetScopes(), []string{"proxy"}) || got.GetId() != "id-laptop" || got.GetTitle() != "laptop" {
		t.Errorf("%v", got)
	}
	for caller, want := range map[string]int{"phone-1": 1, "phone-2": 1, "desk": 0, "owner": 1, "": 1} {
		ctx := presenting(t)
		if caller != "" {
			ctx = presenting(t, "secret-"+caller)
		}
		if list := must[*pb.ListProxyTokensResponse](t)(access.ListProxyTokens(ctx, &pb.ListProxyTokensRequest{})); len(list.GetTokens()) != want {
			t.Errorf("%q sees %v", caller, list)
		}
	}
	for caller, want := range map[string]codes.Code{"desk": codes.NotFound, "viewer": codes.PermissionDenied, "proxy": codes.PermissionDenied, "phone-2": codes.OK} {
		ctx := presenting(t, "secret-"+caller)
		if _, err := access.RenewProxyToken(ctx, &pb.RenewProxyTokenRequest{Id: "id-laptop", Days: 1}); status.Code(err) != want {
			t.Errorf("%s renews: %v", caller, err)
		}
		revoke := codes.NotFound
		if want == codes.PermissionDenied {
			revoke = want
		}
		if _, err := access.RevokeProxyToken(ctx, &pb.RevokeProxyTokenRequest{Id: "id-other"}); status.Code(err) != revoke {
			t.Errorf("%s revokes an unknown one: %v", caller, err)
		}
		if caller == "viewer" || caller == "proxy" {
			if _, err := access.ListProxyTokens(ctx, &pb.ListProxyTokensRequest{}); status.Code(err) != codes.PermissionDenied {
				t.Errorf("%s lists: %v", caller, err)
			}
			if _, err := access.CreateProxyToken(ctx, &pb.CreateProxyTokenRequest{Title: "x", Days: 1}); status.Code(err) != codes.PermissionDenied {
				t.Errorf("%s creates: %v", caller, err)
			}
		}
	}
	for _, days := range []uint32{0, 367, 1 << 31} {
		if _, err := access.CreateProxyToken(presenting(t), &pb.CreateProxyTokenRequest{Title: "x", Days: days}); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%d days: %v", days, err)
		}
	}
	must[*pb.RevokeProxyTokenResponse](t)(access.RevokeProxyToken(presenting(t, "secret-phone-2"), &pb.RevokeProxyTokenRequest{Id: "id-laptop"}))
}
