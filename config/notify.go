package config

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Notify configures where notifications go, besides the program of notify.exec.
type Notify struct {
	Webhook       string // URL; empty = none
	WebhookSecret string // file; empty = unsigned
	Ntfy          string // URL of a topic; empty = none
	NtfyToken     string // file; empty = none
	Quiet         string // "22:00-07:00"; empty = none
}

// check returns the name of a wrong setting, and why it is wrong.
func (n Notify) check() (name string, err error) {
	if _, err := checkURL(n.Webhook); err != nil {
		return "notify.webhook", err
	}
	topic, err := checkURL(n.Ntfy)
	if err == nil && n.Ntfy != "" && strings.Trim(topic.Path, "/") == "" {
		err = errors.New("it has no topic; write for example https://ntfy.example/my-agents")
	}
	if err != nil {
		return "notify.ntfy", err
	}
	if _, _, err := QuietHours(n.Quiet); err != nil {
		return "notify.quiet_hours", err
	}
	return "", nil
}

// checkURL refuses unsafe URLs: plain HTTP beyond this machine can be read by others.
func checkURL(text string) (*url.URL, error) {
	if text == "" {
		return nil, nil
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.User != nil:
		return nil, errors.New("it is not a URL such as https://host/path")
	case u.Scheme == "https":
		return u, nil
	case u.Scheme == "http" && loopback(u.Hostname()):
		return u, nil
	}
	return nil, fmt.Errorf("it has the scheme %q; https is needed beyond this machine", u.Scheme)
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}

// QuietHours parses a part of the day, "22:00-07:00", into minutes after midnight. The end may be on the next day.
// Empty text is an empty part.
func QuietHours(text string) (from, to int, err error) {
	if text == "" {
		return 0, 0, nil
	}
	begin, end, _ := strings.Cut(text, "-")
	from, errFrom := minutes(begin)
	to, errTo := minutes(end)
	if errFrom != nil || errTo != nil || from == to {
		return 0, 0, fmt.Errorf("%q is not a part of a day; write for example 22:00-07:00", text)
	}
	return from, to, nil
}

func minutes(text string) (int, error) {
	at, err := time.Parse("15:04", strings.TrimSpace(text))
	return at.Hour()*60 + at.Minute(), err
}
