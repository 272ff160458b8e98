package rules

import (
	"bytes"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

var updateURLs = flag.Bool("update-urls", false, "have node read the corpus of URLs again")

const (
	corpusOfURLs = "testdata/urls/corpus.json"
	denied       = "bad.org"
)

// nodeURLs reads URLs as the agent does: WHATWG's parser, in node.
const nodeURLs = `
const all = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(all.map(url => { try { return {url, host: new URL(url).hostname} } catch { return {url, host: ""} } })));
`

// readURL is a URL with the host that node finds in it; empty if node refuses it.
type readURL struct {
	URL  string `json:"url"`
	Host string `json:"host"`
}

// askNode has node read URLs, or returns nil where there is no node.
func askNode(t *testing.T, urls []string) []readURL {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		return nil
	}
	given, err := json.Marshal(urls)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), node, "-e", nodeURLs)
	command.Stdin = bytes.NewReader(given)
	out, err := command.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	var read []readURL
	if err := json.Unmarshal(out, &read); err != nil || len(read) != len(urls) {
		t.Fatalf("node: %d answers to %d URLs: %v", len(read), len(urls), err)
	}
	return read
}

// checkURL compares the rules with what node finds in a URL.
func checkURL(t *testing.T, deny, allow *Set, u readURL) {
	t.Helper()
	call := callOf("WebFetch", "url", u.URL)
	host := strings.TrimRight(u.Host, ".")
	if bad := host == denied || strings.HasSuffix(host, "."+denied); bad {
		if got := deny.Decide(call); got.Effect != Deny && got.Effect != Ask {
			t.Errorf("%q leads to %q, and deny has %v", u.URL, u.Host, got.Effect)
		}
	}
	if got := allow.Decide(call); got.Effect == Allow && u.Host != denied {
		t.Errorf("%q leads to %q, and is allowed as %s", u.URL, u.Host, denied)
	}
}

// TestURLs compares the rules with node's reading: of a corpus, and of new URLs where there
// is a node.
func TestURLs(t *testing.T) {
	rule := "WebFetch(domain:" + denied + ")"
	deny, allow := mustSet(t, Deny, rule), mustSet(t, Allow, rule)
	raw, err := os.ReadFile(corpusOfURLs)
	if err != nil && !*updateURLs {
		t.Fatal(err)
	}
	var corpus []readURL
	if err == nil {
		if err := json.Unmarshal(raw, &corpus); err != nil {
			t.Fatal(err)
		}
	}
	if *updateURLs {
		corpus = askNode(t, urlsToRead(rand.New(rand.NewPCG(1, 1)), 600))
		var text bytes.Buffer
		text.WriteString("[\n")
		for n, u := range corpus {
			line, err := json.Marshal(u)
			if err != nil {
				t.Fatal(err)
			}
			text.Write(line)
			text.WriteString(map[bool]string{false: ",\n", true: "\n"}[n == len(corpus)-1])
		}
		text.WriteString("]\n")
		if err := os.WriteFile(corpusOfURLs, text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	leads := 0
	for _, u := range corpus {
		if strings.HasSuffix(strings.TrimRight(u.Host, "."), denied) {
			leads++
		}
		checkURL(t, deny, allow, u)
	}
	if leads < 50 {
		t.Errorf("only %d URLs of the corpus lead to the denied host", leads)
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for _, u := range askNode(t, urlsToRead(rand.New(rand.NewPCG(seed, 2)), 5000)) {
		checkURL(t, deny, allow, u)
	}
}

// knownURLs are URLs that parsers are known to read differently.
var knownURLs = []string{
	"https://bad.org", "HTTPS://BAD.ORG/", "https://bad.org.", "https://bad.org./x", "https://bad.org..", "https://a.bad.org", "https://bad.org:443", "https://bad.org:0443/", "https://bad.org:/",
	"https://bad.org:99999/", "https://bad.org:+443/", "https://bad.org: 443/", "https://good.org@bad.org", "https://good.org:x@bad.org", "https://good.org%40bad.org", "https://good.org\\@bad.org",
	"https://bad.org\\@good.org", "https://bad.org\\.good.org", "https://bad.org#@good.org", "https://bad.org?@good.org", "https://bad.org#.good.org", "https://good.org#@bad.org/", "https://good.org;@bad.org",
	"https:bad.org", "https:/bad.org", "https:///bad.org", "https:////bad.org", "https:\\\\bad.org", "https:\\bad.org", "https:/\\bad.org", "http:bad.org", "https://\\bad.org", " https://bad.org", "\x00https://bad.org",
	"https://bad.org ", "https://bad.org\x00", "ht\ntps://bad.org", "h\ttps://bad.org", "https:\n//bad.org", "https:/\t/bad.org", "https://b\nad.org", "https://bad.o\rrg", "https://bad.org\t.good.org",
	"https://b%61d.org", "https://bad%2eorg", "https://bad%2Eorg", "https://%62%61%64.org", "https://bad.org%2f.good.org", "https://bad.org%00.good.org", "https://bad.org%23.good.org", "https://bad.org%5c@good.org",
	"https://ｂａｄ.org", "https://bad。org", "https://bad．org", "https://bad｡org", "https://ba\u00add.org", "https://bad\u200b.org", "https://bad\u2060.org", "https://ⓑad.org", "https://bad.ºrg", "https://ｂad.org@good.org",
	"https://𝐛𝐚𝐝.org", "https://xn--bad-.org", "https://xn--ls8h.org", "https://BAD.ORG\u200d", "https://bad\ufeff.org", "https://ß.org", "https://bad.org\uff0fgood.org", "https://bad.org\uff03.good.org", "https://good.org\uff20bad.org",
	"https://bad.org\u2044.good.org", "https://[bad.org]", "https://[::1]@bad.org", "https://[::ffff:1.2.3.4]", "https://1.2.3", "https://0x1.0x2.3", "https://017700000001", "https://1.2.3.4.", "https://256.1.1.1",
	"blob:https://bad.org/x", "view-source:https://bad.org", "javascript:https://bad.org", "file://bad.org/x", "ws://bad.org", "ftp://bad.org", "httpss://bad.org", "//bad.org", "/\\bad.org", "bad.org", "https", "https:", "https://", "",
	"https://user:pa:ss@bad.org", "https://user@good.org@bad.org", "https://@bad.org", "https://:@bad.org", "https://%@bad.org", "https://good.org:80@bad.org", "https://good.org:80\\@bad.org", "https://bad.org|x", "https://bad.org^x",
	"https://bad.org<x", "https://bad.org`", "https://bad.org{", "https://-bad.org", "https://_.bad.org", "https://a..bad.org", "https://.bad.org", "https://*.bad.org", "https://bad.org,good.org", "https://bad.org'", "https://bad.org!", "https://bad.org$x@good.org",
}

// urlsToRead returns the known URLs and n made up ones.
func urlsToRead(r *rand.Rand, n int) []string {
	urls := append([]string(nil), knownURLs...)
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	noise := []string{
		"", "", "", "\t", "\n", "\r", " ", "\\", "/", "//", "@", ":", ":443", ":80", ".", "..", "%2e", "%40", "%5c", "%00", "%", "#", "?", "[", "]", "\u00ad", "\u200b", "\u3002", "\uff0e", "\uff20", "\uff0f",
		"\u2044", "\ufeff", "\x00", "\x1f", "\x7f", "\x80", "^", "|", ";", ",", "'", "xn--", "0x", "ｏ", "é", "K", "ſ",
	}
	hosts := []string{"bad.org", "BAD.org", "good.org", "a.bad.org", "bad.org.", "b\u0430d.org", "ｂａｄ.org", "127.1", "bad", "org", "bad.org.good.org", "localhost"}
	for len(urls) < len(knownURLs)+n {
		text := pick("https:", "https:", "http:", "HTTPS:", "hTtp:", "", "https", "ws:", "blob:https:") + pick("//", "//", "//", "/", "\\\\", "", "///", "/\\")
		for range r.IntN(3) {
			text += pick("user", "good.org", "bad.org", "a:b", "%62ad.org") + pick("@", "@", ":@", "\\@", "/@", "#@", "?@", "%40")
		}
		text += pick(hosts...) + pick("", "", ":443", ":0", ":", ":x", ":00080") + pick("", "/", "/x", "?x", "#x", "\\x", "/../bad.org", "/@bad.org")
		for range r.IntN(4) { // anywhere, between characters
			letters := []rune(text)
			at := r.IntN(len(letters) + 1)
			text = string(letters[:at]) + pick(noise...) + string(letters[at:])
		}
		urls = append(urls, strings.ToValidUTF8(text, "?"))
	}
	return urls
}
