package rules

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// address has the parts of a URL that rules are compared with.
type address struct {
	host string // in lower case
	odd  string // why two readers of the URL may find different hosts
}

// readAddress parses a URL as net/url does, and records where a browser would read it
// differently.
func readAddress(text string) address {
	var a address
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		a.odd = "its URL has no host that can be read"
	} else {
		a.host = strings.ToLower(u.Hostname())
		a.odd = oddURL(text, u)
	}
	return a
}

func oddURL(text string, u *url.URL) string {
	begin, _, _ := strings.Cut(strings.TrimPrefix(text, u.Scheme), "?")
	authority, _, _ := strings.Cut(strings.TrimPrefix(begin, "://"), "/")
	host := u.Hostname()
	for n := range len(text) {
		if c := text[n]; c <= ' ' || c == 0x7f || c == '\\' || c >= 0x80 && strings.Contains(authority, text[n:n+1]) {
			return "its URL has blanks, backslashes or a host beyond ASCII"
		}
	}
	switch {
	case !strings.HasPrefix(text, u.Scheme+"://"):
		return "its URL does not begin with http:// or https://"
	case u.User != nil || strings.ContainsAny(authority, "@%[]"):
		return "its URL has more than a host before the path"
	case strings.HasSuffix(host, ".") || strings.Contains(host, "..") || strings.HasPrefix(host, "."):
		return "the host of its URL has a dot at its end or no name between dots"
	case !plainPort(u.Port()) || u.Port() == "" && strings.Contains(authority, ":"):
		return "the port of its URL is not plain"
	case numeric(host):
		return "the host of its URL is a number that may be an address"
	case strings.HasPrefix(strings.ToLower(host), "xn--") || strings.Contains(strings.ToLower(host), ".xn--"):
		return "the host of its URL is encoded"
	}
	for n := range len(host) {
		if c := host[n]; !letter(c) && !digit(c) && c != '-' && c != '.' && c != '_' {
			return "the host of its URL has unusual characters"
		}
	}
	return ""
}

// plainPort reports whether a port is absent or a number that all readers accept.
func plainPort(port string) bool {
	_, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil
}

// numeric reports whether a host ends in a number, and is not an address in the usual
// form: 127.1, 0x7f000001, 2130706433.
func numeric(host string) bool {
	last := strings.ToLower(host[strings.LastIndexByte(host, '.')+1:])
	hex, isHex := strings.CutPrefix(last, "0x")
	if strings.Trim(last, "0123456789") != "" && (!isHex || strings.Trim(hex, "0123456789abcdef") != "") {
		return false
	}
	_, err := netip.ParseAddr(host)
	return err != nil
}

// domainPattern matches the host of an address: "example.com", or "*.example.com"
// for everything below it.
type domainPattern struct {
	host  string
	below bool
}

func newDomainPattern(host string) domainPattern {
	host, below := strings.CutPrefix(strings.ToLower(strings.TrimSpace(host)), "*.")
	return domainPattern{strings.TrimSuffix(host, "."), below}
}

// any also matches the hosts below a domain, since a rule that denies a domain means them too.
func (d domainPattern) any(c *call) bool {
	host := strings.TrimRight(c.url.host, ".")
	return host != "" && (host == d.host && !d.below || strings.HasSuffix(host, "."+d.host))
}

// may returns true for every URL that two readers may read differently.
func (d domainPattern) may(c *call) bool { return c.url.odd != "" }

func (d domainPattern) covers(c *call, _ int) bool {
	switch {
	case c.url.odd != "" || c.url.host == "":
		return false
	case d.below:
		return strings.HasSuffix(c.url.host, "."+d.host)
	}
	return c.url.host == d.host
}
