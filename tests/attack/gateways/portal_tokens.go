package gateways

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"betcode/tests/attack/siege"
)

// proxyToken creates a token of a proxy and returns its secret.
func proxyToken(s *siege.Siege, name string) string {
	secret, err := s.World.ProxyToken(name)
	s.Held("a token of a proxy is made", err == nil && strings.Count(secret, ".") == 2 && !strings.Contains(secret, " "), "%q %v", secret, err)
	return secret
}

// attackPortalTokens presents forged, changed and revoked tokens of proxies.
func attackPortalTokens(s *siege.Siege) {
	p := portal(s)
	good := proxyToken(s, "laptop")
	parts := strings.Split(good, ".")
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	s.Must(err, "decode a token")
	var claims jwt.MapClaims
	s.Must(json.Unmarshal(payload, &claims), "read a token")
	key, err := os.ReadFile(s.World.StateDir() + "/token.key")
	s.Must(err, "read the key")
	signed := func(m jwt.SigningMethod, key any, change func(jwt.MapClaims)) string {
		c := jwt.MapClaims{}
		for name, value := range claims {
			c[name] = value
		}
		if change != nil {
			change(c)
		}
		secret, err := jwt.NewWithClaims(m, c).SignedString(key)
		s.Must(err, "forge a token")
		return secret
	}
	for name, forged := range map[string]string{
		"no algorithm":     signed(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, nil),
		"another key":      signed(jwt.SigningMethodHS256, []byte("dev-mode-jwt-secret-not-for-production"), nil),
		"HS384":            signed(jwt.SigningMethodHS384, key, nil),
		"RS256 by name":    base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + parts[1] + "." + parts[2],
		"changed claims":   parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(payload), "proxy", "admin", 1))) + "." + parts[2],
		"the key, changed": signed(jwt.SigningMethodHS256, key, func(c jwt.MapClaims) { c["exp"] = time.Now().AddDate(9, 0, 0).Unix() }),
		"the key, new id":  signed(jwt.SigningMethodHS256, key, func(c jwt.MapClaims) { c["jti"] = uuid.NewString() }),
		"the key, expired": signed(jwt.SigningMethodHS256, key, func(c jwt.MapClaims) { c["exp"] = time.Now().Add(-time.Hour).Unix() }),
		"the key, later":   signed(jwt.SigningMethodHS256, key, func(c jwt.MapClaims) { c["nbf"] = time.Now().Add(time.Hour).Unix() }),
		"the key, issuer":  signed(jwt.SigningMethodHS256, key, func(c jwt.MapClaims) { c["iss"], c["aud"] = "evil", "betcode" }),
		"the key, large":   signed(jwt.SigningMethodHS256, key, func(c jwt.MapClaims) { c["email"] = strings.Repeat("x", 48<<10) }),
		"the key, person":  signed(jwt.SigningMethodHS256, key, func(c jwt.MapClaims) { c["sub"] = uuid.NewString() }),
		"a longer one":     good + "x",
		"a dot more":       good + ".",
		"other padding":    parts[0] + "=." + parts[1] + "." + parts[2],
		"the key, no end":  signed(jwt.SigningMethodHS256, key, func(c jwt.MapClaims) { delete(c, "exp") }),
	} {
		b := p.Browser()
		b.Header.Set("Authorization", "Bearer "+forged)
		status, _ := asks(s, b, http.MethodGet, "/api/auth/me")
		s.Held(name+" does not count", status == http.StatusUnauthorized, "%d", status)
	}
	b := p.Browser()
	b.Header.Set("Authorization", "Bearer "+good)
	status, _ := asks(s, b, http.MethodGet, "/api/auth/me")
	s.Held("the token counts", status == http.StatusOK, "%d", status)
	for path, method := range map[string]string{
		"/api/sessions": http.MethodGet, "/api/proxy-tokens": http.MethodPost, "/api/sessions/" + siege.NewSession(): http.MethodDelete,
	} {
		status, body := asks(s, b, method, path)
		s.Held("it may not "+method+" "+path, status == http.StatusForbidden || status == http.StatusBadRequest, "%d %s", status, body)
	}
	_, opened, _ := b.Open()
	s.Held("it opens no page that shows sessions", opened != http.StatusOK, "%d", opened)
	printed, code := s.Cli("token", "revoke", "proxy-"+claims["jti"].(string)[:8])
	s.Held("it is revoked by its name", code == 0, "%s", printed)
	status, _ = asks(s, b, http.MethodGet, "/api/auth/me")
	s.Held("a revoked one does not count", status == http.StatusUnauthorized, "%d", status)
	other := proxyToken(s, "desktop")
	_, err = s.Daemon.Stop()
	s.Must(err, "stop the daemon")
	s.Start()
	status, _ = asks(s, b, http.MethodGet, "/api/auth/me")
	s.Held("a revoked one does not count for the next daemon", status == http.StatusUnauthorized, "%d", status)
	b.Header.Set("Authorization", "Bearer "+other)
	status, _ = asks(s, b, http.MethodGet, "/api/auth/me")
	s.Held("another one does", status == http.StatusOK, "%d", status)
	_, err = s.Daemon.Stop()
	s.Must(err, "stop the daemon")
	s.Must(os.Chmod(s.World.StateDir()+"/token.key", 0o644), "open the key") //nolint:gosec // it is an attack
	daemon, err := s.World.Start(s)
	if err == nil {
		s.Daemon = daemon
		status, _ = asks(s, b, http.MethodGet, "/api/auth/me")
	}
	s.Held("no token counts whose key others may read", status != http.StatusOK || err != nil, "%d", status)
	logs := p.Log() + s.Daemon.Log()
	s.Held("no log has a secret", !strings.Contains(logs, "eyJ") && !strings.Contains(logs, parts[2]), "%s", logs)
}
