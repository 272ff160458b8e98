package portal

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"

	"betcode/gateway/portal/voice"
)

type admissionKey struct{}

// admission stores with a connection whether its process is admitted, which is determined on first use.
func (s *Server) admission(ctx context.Context, conn net.Conn) context.Context {
	if s.options.Admit == nil {
		return ctx
	}
	return context.WithValue(ctx, admissionKey{}, sync.OnceValue(func() error { return s.options.Admit(conn) }))
}

// guard checks process, host and origin of every request.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		headers(w.Header())
		if r.URL.Path == "/"+sessionPath {
			r.URL.Path = sessionPath // proxies of G1 append it to an address that ends with a slash
		}
		if admitted, ok := r.Context().Value(admissionKey{}).(func() error); ok {
			if err := admitted(); err != nil {
				s.refuse(w, r, http.StatusForbidden, err.Error())
				return
			}
		}
		api := strings.HasPrefix(r.URL.Path, "/api/") || strings.HasPrefix(r.URL.Path, "/ws/")
		switch {
		case !s.hosts.knows(r.Host):
			s.refuse(w, r, http.StatusForbidden, "this is not a name of the portal; use its address, or add the name with --url")
		case !s.hosts.origin(r, true), api && foreign(r):
			s.refuse(w, r, http.StatusForbidden, "requests of other sites are not served")
		case !safe(r) && !s.hosts.origin(r, bearer(r) != "" || forPrograms(r)):
			s.refuse(w, r, http.StatusForbidden, "a request that changes something needs an Origin")
		default:
			r.Body = http.MaxBytesReader(w, r.Body, bodyBound(r))
			next.ServeHTTP(w, r)
		}
	})
}

// bodyBound returns the maximum size of a request's body.
func bodyBound(r *http.Request) int64 {
	switch {
	case r.URL.Path == transcribePath:
		return voice.MaxAudio
	case strings.HasSuffix(r.URL.Path, "/messages"):
		return maxPageFrame
	}
	return maxBody
}

// forPrograms reports whether a request is for programs, which have no token yet or have it in the body. Cookies are
// ignored there.
func forPrograms(r *http.Request) bool {
	return r.URL.Path == "/api/auth/device/code" || r.URL.Path == "/api/auth/device/poll" || r.URL.Path == resolvePath
}

func safe(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// headers restricts pages to what they need. Images of other sites, for example, would reveal what is read.
func headers(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "+
		"img-src 'self' data: blob:; media-src 'self' data: blob:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // without a policy, browsers send forms of the portal with the Origin null
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
}
