package portal

import (
	"io/fs"
	"net/http"
	"path"
	"strings"
)

const plainPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>betcode</title></head><body><main><h1>betcode</h1>
<p>This is the gateway for pages of the portal. Start it with <code>--pages DIR</code> to serve one.</p>
<p><a href="/api/auth/login">Log in</a></p></main></body></html>
`

// files serves the files of the page, and for every other path its index, which handles the routes of the page.
func (s *Server) files() http.Handler {
	if s.options.Pages == nil {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte(plainPage)) // the browser has gone
		})
	}
	serve := http.FileServerFS(s.options.Pages)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		if info, err := fs.Stat(s.options.Pages, name); name != "" && (err != nil || info.IsDir()) {
			r = r.Clone(r.Context())
			r.URL.Path = "/"
		}
		serve.ServeHTTP(w, r)
	})
}
