package portal

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"text/template"
)

// installScript connects a machine to this portal. It downloads and changes nothing, since people would trust a
// downloaded program like the portal itself. Its only value is an address that [plainAddress] has checked.
var installScript = template.Must(template.New("install").Parse(`#!/bin/sh
# Connects this machine to the portal at {{.}}. It downloads nothing.
set -eu
backend='{{.}}'
if command -v betcode >/dev/null 2>&1; then
	betcode proxy login --backend-url "$backend"
	echo "Show a session there: betcode --start proxy --backend-url $backend --session @last"
	exit 0
fi
for program in agent-portal claude-portal; do
	if command -v "$program" >/dev/null 2>&1; then
		echo "Run: $program --backend-url $backend"
		exit 0
	fi
done
echo "There is no betcode, agent-portal or claude-portal on this machine. Install one of them first." >&2
exit 1
`))

// plainAddress matches addresses without special characters of shells.
var plainAddress = regexp.MustCompile(`^wss?://[A-Za-z0-9.\-\[\]:]+$`)

// install serves the script. backend_url may only be another name of the portal: otherwise a link to
// the portal could connect machines to a foreign server.
func (s *Server) install(w http.ResponseWriter, r *http.Request) {
	address := "ws" + strings.TrimPrefix(s.base(r), "http")
	if wanted := r.URL.Query().Get("backend_url"); wanted != "" {
		u, err := url.Parse(wanted)
		if err != nil || !s.hosts.knows(u.Host) {
			s.refuse(w, r, http.StatusBadRequest, "backend_url is not an address of this portal")
			return
		}
		address = strings.TrimSuffix(wanted, "/")
	}
	if !plainAddress.MatchString(address) {
		s.refuse(w, r, http.StatusBadRequest, "backend_url is not an address of this portal, such as wss://"+r.Host)
		return
	}
	w.Header().Set("Content-Type", "text/x-shellscript")
	w.Header().Set("Content-Disposition", `attachment; filename="install.sh"`)
	w.Header().Set("Cache-Control", "no-store")
	_ = installScript.Execute(w, address) // the caller has gone
}
