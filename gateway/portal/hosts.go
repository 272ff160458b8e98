package portal

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// hosts are the names under which the portal is reached.
type hosts struct {
	names  []string
	secure bool // browsers reach the portal over HTTPS
}

// knows reports whether an authority, with or without a port, is one of the portal's. Addresses
// are: a name that somebody else points at this machine is not one.
func (h hosts) knows(authority string) bool {
	host := authority
	if name, _, err := net.SplitHostPort(authority); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	return host == "localhost" || slices.Contains(h.names, host)
}

// origin reports whether a request comes from a page of the portal itself: the origin is the host
// that was asked. absent is the answer for a request without an origin.
func (h hosts) origin(r *http.Request, absent bool) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return absent
	}
	if len(origins) > 1 {
		return false
	}
	o, err := url.Parse(origins[0])
	if err != nil || o.Scheme != "http" && o.Scheme != "https" {
		return false
	}
	if h.secure && o.Scheme == "http" && !loopback(o.Hostname()) {
		return false // a page that somebody on the way has made
	}
	return strings.EqualFold(o.Host, r.Host) && h.knows(o.Host)
}

// loopback reports whether a host is this machine, which is reached without TLS beside a server that has it.
func loopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// foreign reports whether the browser says that another site causes the request.
func foreign(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site != "" && site != "same-origin" && site != "none"
}
