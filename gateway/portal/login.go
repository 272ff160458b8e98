package portal

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
)

// CodePrefix begins the names of tokens that can be exchanged for a login once.
const CodePrefix = "portal-code-"

// loginPrefix begins the names of the tokens in cookies.
const loginPrefix = "portal-login-"

// maxSecret bounds the secret of a token, in bytes.
const maxSecret = 4 << 10

// maxTokenName bounds the name of a token; the daemon has the same bound.
const maxTokenName = 64

// cookieName returns the name of the cookie. Over HTTPS it has a prefix that prevents other hosts from setting it.
func (s *Server) cookieName() string {
	if s.options.Secure {
		return "__Host-cc_session"
	}
	return "cc_session"
}

func (s *Server) cookie(value string, expires time.Time) *http.Cookie {
	return &http.Cookie{
		Name: s.cookieName(), Value: value, Path: "/", Expires: expires, HttpOnly: true, Secure: s.options.Secure, SameSite: http.SameSiteLaxMode,
	}
}

// bearer returns the secret of the Authorization header; empty if there is none.
func bearer(r *http.Request) string {
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "bearer") {
		return ""
	}
	return strings.TrimSpace(secret)
}

// secretOf returns the secret in a request; empty in dev mode. The error is [ErrUnauthenticated] if
// the caller has not logged in.
func (s *Server) secretOf(r *http.Request) (string, error) {
	if s.options.Dev {
		return "", nil
	}
	secret := bearer(r)
	if c, err := r.Cookie(s.cookieName()); secret == "" && err == nil {
		secret = c.Value
	}
	if secret == "" || len(secret) > maxSecret || strings.ContainsFunc(secret, func(c rune) bool { return c <= ' ' || c >= 0x7f }) {
		return "", ErrUnauthenticated // it cannot be a secret, and the metadata of a call cannot contain it
	}
	return secret, nil
}

// connect connects to the daemon as the caller of a request. The error is [ErrUnauthenticated] if
// that has not logged in. The caller closes the connection.
func (s *Server) connect(ctx context.Context, r *http.Request, id string) (Daemon, Caller, error) {
	secret, err := s.secretOf(r)
	if err != nil {
		return nil, Caller{}, err
	}
	d, err := s.options.Connect(secret, id)
	if err != nil {
		return nil, Caller{}, err
	}
	caller, err := d.Caller(ctx)
	if err != nil {
		return nil, Caller{}, errors.Join(err, d.Close())
	}
	return d, caller, nil
}

// enterAccount is connect for a page, which shares the connection with other pages of its caller.
func (s *Server) enterAccount(ctx context.Context, r *http.Request) (*account, Caller, error) {
	secret, err := s.secretOf(r)
	if err != nil {
		return nil, Caller{}, err
	}
	return s.accounts.enter(ctx, secret)
}

var loginForm = template.Must(template.New("login").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Log in</title></head>
<body><main><h1>Log in</h1>
{{with .Why}}<p role="alert">{{.}}</p>{{end}}
<p>Run <code>betcode gateway pair --scope control NAME</code> on the daemon's machine and enter the code that it prints. It works once.</p>
<form method="post" action="/api/auth/login">{{with .Device}}<input type="hidden" name="device_user_code" value="{{.}}">{{end}}<label>Code <input name="code" required autocomplete="off" value="{{.Code}}"></label>
<button>Log in</button></form></main></body></html>
`))

type loginView struct {
	Code, Why string
	Device    string // code of a device login to continue after the login
}

func (s *Server) loginPage(w http.ResponseWriter, r *http.Request) {
	if s.options.Dev {
		http.Redirect(w, r, "/dashboard", http.StatusTemporaryRedirect)
		return
	}
	s.show(w, http.StatusOK, loginForm, loginView{Code: r.URL.Query().Get("code"), Device: r.URL.Query().Get("device_user_code")})
}

// devLogin redirects a browser to the page, since dev mode has no logins.
func (s *Server) devLogin(w http.ResponseWriter, r *http.Request) {
	if !s.options.Dev {
		http.NotFound(w, r)
		return
	}
	http.Redirect(w, r, "/dashboard", http.StatusTemporaryRedirect)
}

// login exchanges a code for a cookie.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), callTimeout)
	defer cancel()
	secret, caller, expires, err := s.exchange(ctx, strings.TrimSpace(r.PostFormValue("code")))
	if err != nil {
		s.refused.Warn().Str("address", r.RemoteAddr).Err(err).Msg("login refused")
		s.show(w, http.StatusUnauthorized, loginForm, loginView{Why: "This code is not valid, or was used already.", Device: r.PostFormValue("device_user_code")})
		return
	}
	s.log.Info().Str("address", r.RemoteAddr).Str("code", caller.Token).Strs("scopes", caller.Scopes).Msg("browser logged in")
	http.SetCookie(w, s.cookie(secret, expires))
	next := "/dashboard"
	if code := r.PostFormValue("device_user_code"); code != "" {
		next = "/api/auth/device?user_code=" + url.QueryEscape(code)
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
}

// exchange revokes a code and creates a token with the same rights. The daemon revokes a token only
// once, so a code gives only one login.
func (s *Server) exchange(ctx context.Context, code string) (secret string, caller Caller, expires time.Time, err error) {
	if code == "" {
		return "", Caller{}, time.Time{}, ErrUnauthenticated
	}
	d, err := s.options.Connect(code, "portal-login")
	if err != nil {
		return "", Caller{}, time.Time{}, err
	}
	caller, err = d.Caller(ctx)
	if err = errors.Join(err, d.Close()); err != nil {
		return "", Caller{}, time.Time{}, err
	}
	if !strings.HasPrefix(caller.Token, CodePrefix) {
		return "", caller, time.Time{}, ErrUnauthenticated
	}
	if err := s.options.Tokens.Revoke(ctx, caller.Token); err != nil {
		return "", caller, time.Time{}, err
	}
	expires = time.Now().Add(s.options.Lifetime)
	name := loginPrefix + caller.Person
	name = name[:min(len(name), maxTokenName-9)] + "-" + uuid.NewString()[:8]
	secret, err = s.options.Tokens.Create(ctx, Login{name, caller.Person, caller.Scopes, caller.Shared, expires})
	return secret, caller, expires, err
}

// logout revokes the token of the cookie.
func (s *Server) logout(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), callTimeout)
	defer cancel()
	if d, caller, err := s.connect(ctx, r, "portal-logout"); err == nil {
		defer d.Close()
		if strings.HasPrefix(caller.Token, loginPrefix) {
			if err := s.options.Tokens.Revoke(ctx, caller.Token); err != nil && !errors.Is(err, ErrNotFound) {
				s.refuse(w, r, http.StatusServiceUnavailable, "the daemon does not answer")
				return
			}
		}
	}
	http.SetCookie(w, s.cookie("", time.Unix(1, 0)))
	http.Redirect(w, r, "/", http.StatusTemporaryRedirect)
}
