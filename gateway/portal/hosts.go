package portal

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// hosts has the names of the portal.
type hosts struct {
	names  []string
	secure bool // browsers reach the portal over HTTPS
}

// knows reports whether an authority, with or without a port, is a name of the portal, or an
// address. A name that an attacker points at this machine is neither.
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

// origin reports whether a request comes from a page of the portal itself: its origin is its host.
// absent is the result for a request without an origin.
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
		return false // an unencrypted page, which could have been forged
	}
	return strings.EqualFold(o.Host, r.Host) && h.knows(o.Host)
}

// loopback reports whether a host is this machine, which needs no TLS.
func loopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// foreign reports whether another site caused the request, according to the browser.
func foreign(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site != "" && site != "same-origin" && site != "none"
}
