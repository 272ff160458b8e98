package portal

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	pb "betcode/proto/betcode/v1"
)

// defaultDays is the default validity of a proxy's token.
const defaultDays = 30

// tokenRow is a token of a proxy. Revoked tokens are not listed.
type tokenRow struct {
	ID        string  `json:"id"`
	Name      string  `json:"name"`
	CreatedAt string  `json:"created_at"`
	LastUsed  *string `json:"last_used_at"`
	ExpiresAt *string `json:"expires_at"`
	Revoked   bool    `json:"revoked"`
}

// madeToken is a token of a proxy with its secret, which is shown once.
type madeToken struct {
	ID        string  `json:"id"`
	Token     string  `json:"token"`
	InitURL   string  `json:"init_url"`
	ExpiresAt *string `json:"expires_at"`
}

func listProxyTokens(c call) (any, error) {
	all, err := c.daemon.ProxyTokens(c)
	if err != nil {
		return nil, err
	}
	rows := []tokenRow{}
	for _, t := range all {
		rows = append(rows, tokenRow{t.GetId(), t.GetTitle(), *zoned(t.GetCreatedAt()), zoned(t.GetLastUsedAt()), zoned(t.GetExpiresAt()), false})
	}
	return map[string]any{"tokens": rows}, nil
}

func createProxyToken(c call) (any, error) {
	var body struct {
		Name string  `json:"name"`
		Days *uint32 `json:"expires_in_days"`
	}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	if body.Days == nil {
		body.Days = ref(uint32(defaultDays))
	}
	secret, made, err := c.daemon.CreateProxyToken(c, body.Name, *body.Days)
	return c.made(secret, made, err)
}

func renewProxyToken(c call) (any, error) {
	secret, renewed, err := c.daemon.RenewProxyToken(c, c.request.PathValue("id"), defaultDays)
	return c.made(secret, renewed, err)
}

func revokeProxyToken(c call) (any, error) {
	return http.StatusNoContent, c.daemon.RevokeProxyToken(c, c.request.PathValue("id"))
}

func (c call) made(secret string, t *pb.AccessToken, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return madeToken{t.GetId(), secret, InitURL(c.base(c.request), secret), zoned(t.GetExpiresAt())}, nil
}

// InitURL returns a URL that contains the address of the portal and the token of a proxy, which reads
// them without fetching it.
func InitURL(base, secret string) string {
	text, err := json.Marshal(struct {
		Token string `json:"t"`
	}{secret})
	if err != nil {
		panic(fmt.Sprintf("encode a text: %v", err))
	}
	return base + "/p/" + base64.RawURLEncoding.EncodeToString(text)
}

// base returns the address at which the browser reaches the portal. guard has checked its host.
func (s *Server) base(r *http.Request) string {
	if s.options.Secure {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// decode decodes the body of a request. An empty body is an empty object.
func (c call) decode(into any) error {
	switch err := json.NewDecoder(c.request.Body).Decode(into); {
	case err == nil, errors.Is(err, io.EOF):
		return nil
	default:
		return fmt.Errorf("%w: its body is no JSON of the expected form", ErrInvalid)
	}
}

// zoned formats a time as in rows of tokens; nil for none.
func zoned(t *timestamppb.Timestamp) *string {
	if t == nil {
		return nil
	}
	return ref(t.AsTime().UTC().Format(time.RFC3339))
}
