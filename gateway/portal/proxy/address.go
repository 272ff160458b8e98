package proxy

import (
	"encoding/base64"
	"encoding/json"
	"net/netip"
	"net/url"
	"strings"

	"betcode/messages"
)

const opAddress = "read the address of the portal"

// Address is the URL of a backend.
type Address struct{ at url.URL } // with the scheme ws or wss, without a trailing slash

// ParseAddress parses the URL of a backend. Without TLS the backend must be on this machine, unless
// insecure is set, since tokens and prompts would be sent in the clear.
func ParseAddress(text string, insecure bool) (Address, error) {
	u, err := url.Parse(text)
	if err != nil {
		return Address{}, messages.Errorf(opAddress, messages.Invalid, "it is not a URL").WithHint("give --backend-url wss://HOST")
	}
	switch u.Scheme {
	case "ws", "wss":
	case "http":
		u.Scheme = "ws"
	case "https":
		u.Scheme = "wss"
	default:
		return Address{}, messages.Errorf(opAddress, messages.Invalid, "its scheme is %q", u.Scheme).WithHint("give --backend-url wss://HOST")
	}
	if u.Host == "" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return Address{}, messages.Errorf(opAddress, messages.Invalid, "it needs a host, and has neither a user, a query nor a fragment").
			WithHint("give --backend-url wss://HOST")
	}
	if u.Scheme == "ws" && !insecure && !loopback(u.Hostname()) {
		return Address{}, messages.Errorf(opAddress, messages.Denied, "%s is on another machine, and there is no TLS", u.Host).
			WithHint("give --backend-url wss://" + u.Host + ", or --insecure if the network is yours alone")
	}
	return Address{url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host), Path: strings.TrimRight(u.Path, "/")}}, nil
}

func loopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && address.IsLoopback()
}

// String returns the canonical URL.
func (a Address) String() string { return a.at.String() }

// Host returns the host, with its port if there is one.
func (a Address) Host() string { return a.at.Host }

func (a Address) socket() string { return a.at.JoinPath("ws/session").String() }

// page returns the URL of an HTTP route.
func (a Address) page(path string) string {
	u := *a.at.JoinPath(path)
	u.Scheme = map[string]string{"ws": "http", "wss": "https"}[u.Scheme]
	return u.String()
}

// Init is the content of an init URL of a portal.
type Init struct {
	Backend string
	Token   string
	Prefix  string // prefix of session names; may be empty
}

// ParseInit parses an init URL, BASE/p/VALUE, without fetching it. Errors do not contain the value, which has a token.
func ParseInit(text string) (Init, error) {
	refuse := func(why string) (Init, error) {
		return Init{}, messages.Errorf("read the init URL", messages.Invalid, "%s", why).WithHint("copy all of it from the portal's page")
	}
	u, err := url.Parse(text)
	if err != nil {
		return refuse("it is not a URL")
	}
	base, value, ok := strings.Cut(u.EscapedPath(), "/p/")
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(value, "="))
	if !ok || err != nil {
		return refuse("it does not end with /p/VALUE")
	}
	var holds struct {
		Token  string `json:"t"`
		Prefix string `json:"n"`
	}
	if json.Unmarshal(raw, &holds) != nil || holds.Token == "" {
		return refuse("it has no token")
	}
	return Init{Backend: (&url.URL{Scheme: u.Scheme, Host: u.Host, User: u.User, Path: base}).String(), Token: holds.Token, Prefix: holds.Prefix}, nil
}
