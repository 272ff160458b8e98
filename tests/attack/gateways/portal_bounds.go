package gateways

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// portalBoundScenarios attack the claims of docs/security.md about how much of the portal one caller can take.
var portalBoundScenarios = []siege.Scenario{
	{Name: "portal: places that one login takes", Attack: attackPortalPlaces},
	{Name: "portal: requests that do not end", Attack: attackPortalSlowly},
	{Name: "portal: requests that two readers read differently", Attack: attackPortalSmuggling},
}

// attackPortalPlaces has one login that may only view open pages, and read histories, as many as it gets.
func attackPortalPlaces(s *siege.Siege) {
	p := portal(s)
	owner, viewer := browser(s, p, "control", "approve"), browser(s, p, "view")
	id := siege.NewSession()
	c := s.Converse("a", id)
	for range 12 {
		s.RunTurn(c, "echo:"+strings.Repeat("x", 1<<20))
	}
	var group sync.WaitGroup
	for range 40 {
		group.Go(func() {
			b := p.Browser()
			b.Header = viewer.Header.Clone()
			_, _, _, _ = b.Do(http.MethodGet, "/api/sessions/"+id+"/messages", "") // it is refused, or has the history
		})
	}
	group.Wait()
	peak, err := p.Memory()
	s.Must(err, "read the portal's memory")
	s.Held("many histories of 12 MiB take bounded memory", peak < 700<<20, "%d MiB", peak>>20)
	small, opened := siege.NewSession(), 0
	s.Wait(s.Converse("a", small), 0, func(e kit.Event) bool { return e.GetSessionInfo() != nil })
	for range 600 {
		page, _, err := viewer.Open()
		if err != nil {
			break
		}
		s.Later(page.Close)
		s.Must(page.Register(3, small, nil), "register") // else the portal closes it after a while
		opened++
	}
	s.Held("one login gets half of the pages at most", opened <= 512, "%d", opened)
	page := opens(s, owner)
	s.Must(page.Register(3, id, nil), "register")
	sendFrame(s, page, `"HistoryBatch"`)
	s.Held("another login is served", true, "")
	// Nobody has logged in, and asks again and again.
	for range 20 {
		group.Go(func() {
			b := p.Browser()
			b.Header.Set("Cookie", "cc_session=none")
			for range 50 {
				_, _, _, _ = b.Do(http.MethodGet, "/api/sessions", "") // it is refused
			}
		})
	}
	group.Wait()
	lines := strings.Count(p.Log(), "request refused")
	s.Held("1000 refusals do not fill the log", lines < 200, "%d lines", lines)
}

// attackPortalSlowly holds connections with half a request, and more of them than there may be.
func attackPortalSlowly(s *siege.Siege) {
	p := portal(s)
	address := strings.TrimPrefix(p.URL, "http://")
	halves := []string{
		"GET /api/heal",
		"POST /api/auth/login HTTP/1.1\r\nHost: %s\r\nOrigin: http://%[1]s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ncode=",
		"POST /api/auth/device/code HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"hos",
		"POST /api/proxy/resolve-session HTTP/1.1\r\nHost: %s\r\nContent-Length: 1000\r\n\r\n{",
	}
	var held []net.Conn
	for _, half := range halves {
		conn, err := net.Dial("tcp", address)
		s.Must(err, "connect")
		s.Later(func() { conn.Close() })
		if strings.Contains(half, "%s") {
			half = fmt.Sprintf(half, address)
		}
		_, err = conn.Write([]byte(half))
		s.Must(err, "send half a request")
		held = append(held, conn)
	}
	for i, conn := range held {
		_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
		_, err := readAll(conn)
		s.Held("half a request ends: "+halves[i][:min(len(halves[i]), 35)], err == nil, "%v", err)
	}
	idle := 0
	for range 1500 {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			break
		}
		s.Later(func() { conn.Close() })
		idle++
	}
	s.Held("a person is served beside idle connections", serves(s, p.Browser()), "after %d", idle)
	open, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.PID()))
	s.Must(err, "count the connections")
	s.Held("connections are bounded", len(open) < 1200 || os.Geteuid() != 0 && len(open) == 0, "%d are open", len(open))
}

// readAll reads until the other end closes.
func readAll(conn net.Conn) (n int, err error) {
	buffer := make([]byte, 4096)
	for {
		k, err := conn.Read(buffer)
		n += k
		if timeout, ok := err.(net.Error); ok && timeout.Timeout() { //nolint:errorlint // it is not wrapped
			return n, err
		}
		if err != nil {
			return n, nil //nolint:nilerr // it is closed, in whatever way
		}
	}
}

func serves(s *siege.Siege, b *kit.Browser) bool {
	status, _ := asks(s, b, http.MethodGet, "/api/health")
	return status == http.StatusOK
}

// attackPortalSmuggling sends requests that a server in front and the portal may parse as different requests, hosts or
// paths.
func attackPortalSmuggling(s *siege.Siege) {
	pages := filepath.Join(s.World.Root, "pages")
	s.Write(filepath.Join(pages, "index.html"), "the index")
	s.Write(filepath.Join(s.World.Root, "outside.txt"), "precious")
	s.Must(os.Symlink(s.World.Root, filepath.Join(pages, "up")), "make a link")
	s.Must(os.Symlink(filepath.Join(s.World.Root, "outside.txt"), filepath.Join(pages, "link.txt")), "make a link")
	p := portal(s, "--pages", pages)
	address := strings.TrimPrefix(p.URL, "http://")
	b := browser(s, p, "admin")
	cookie := b.Header.Get("Cookie")
	ask := func(request string) (status int, body string) {
		conn, err := net.Dial("tcp", address)
		s.Must(err, "connect")
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(time.Minute))
		_, _ = conn.Write([]byte(request)) // the portal may have hung up
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			return 0, ""
		}
		defer answer.Body.Close()
		var text strings.Builder
		_, _ = bufio.NewReader(answer.Body).WriteTo(&text)
		return answer.StatusCode, text.String()
	}
	for name, head := range map[string]string{
		"two lengths":             "Content-Length: 5\r\nContent-Length: 6\r\n",
		"a length and chunks":     "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
		"an unknown coding":       "Transfer-Encoding: xchunked\r\n",
		"two codings":             "Transfer-Encoding: chunked, identity\r\n",
		"a negative length":       "Content-Length: -1\r\n",
		"a blank in front":        " Content-Length: 5\r\n",
		"a blank before a colon":  "Content-Length : 5\r\n",
		"two hosts":               "Host: evil.example\r\n",
		"a header of 128 KiB":     "X-Large: " + strings.Repeat("x", 128<<10) + "\r\n",
		"100 000 headers":         strings.Repeat("a: b\r\n", 100_000),
		"a header with NUL":       "X-Nul: a\x00b\r\n",
		"a bare carriage return":  "X-A: b\rOrigin: " + p.URL + "\r\n",
		"a header that is folded": "X-A: b\r\n Origin: " + p.URL + "\r\n",
	} {
		status, body := ask("POST /api/sessions/" + siege.NewSession() + "/stop HTTP/1.1\r\nHost: " + address + "\r\nCookie: " + cookie + "\r\n" + head + "\r\n0\r\n\r\n")
		s.Held(name+" is refused", status == 0 || status >= 400 && status != http.StatusNotFound, "%d %s", status, body)
	}
	for _, host := range []string{
		"evil.example", "localhost.evil.example", "evil.example#localhost", "localhost@evil.example", "127.0.0.1@evil.example", "evil.example:80@127.0.0.1",
		"[::1].evil.example", "127.0.0.1.evil.example.", "", "localhost/evil", "localhost\\evil.example", "%6c%6f%63alhost", "0x7f.1", "２",
	} {
		status, body := ask("GET /api/sessions HTTP/1.1\r\nHost: " + host + "\r\nCookie: " + cookie + "\r\n\r\n")
		s.Held(fmt.Sprintf("the host %q is refused", host), status == http.StatusForbidden || status == http.StatusBadRequest, "%d %s", status, body)
	}
	for _, origin := range []string{
		"https://evil.example", "http://" + address + ".evil.example", "http://" + address + "@evil.example", "http://evil.example#" + address,
		"http://evil.example/" + address, "file://" + address, "//" + address, address, "http://127.0.0.1", "http://localhost:1", "http://[::1]:1", "null", " ",
		"http://" + address + ",https://evil.example", "chrome-extension://" + address,
	} {
		status, body := ask("POST /api/sessions/" + siege.NewSession() + "/stop HTTP/1.1\r\nHost: " + address + "\r\nOrigin: " + origin + "\r\nCookie: " + cookie + "\r\nContent-Length: 0\r\n\r\n")
		s.Held(fmt.Sprintf("the origin %q is refused", origin), status == http.StatusForbidden, "%d %s", status, body)
	}
	for _, path := range []string{
		"/../outside.txt", "/%2e%2e/outside.txt", "/..%2foutside.txt", "/..%5coutside.txt", "/up/outside.txt", "/link.txt", "/up%2foutside.txt", "//../outside.txt",
		"/./../outside.txt", "/%252e%252e/outside.txt", "/up/", "/..%00/outside.txt", "/index.html/../../outside.txt", "\\..\\outside.txt", p.URL + "/../outside.txt",
	} {
		status, body := ask("GET " + path + " HTTP/1.1\r\nHost: " + address + "\r\n\r\n")
		s.Held("the path "+path+" leads nowhere", !strings.Contains(body, "precious"), "%d %s", status, body)
	}
	for _, path := range []string{"/", "/index.html", "/link.txt", "/api/auth/login", "/api/auth/device", "/api/sessions", "/api/nothing", "/ws/client", "/nothing"} {
		_, header, _, err := b.Do(http.MethodGet, path, "")
		s.Must(err, "ask")
		s.Held("headers of "+path, header.Get("X-Content-Type-Options") == "nosniff" && strings.Contains(header.Get("Content-Security-Policy"), "img-src 'self' data: blob:;") && strings.Contains(header.Get("Content-Security-Policy"), "frame-ancestors 'none'") &&
			header.Get("Access-Control-Allow-Origin") == "", "%v", header)
	}
	status, body := ask("POST /api/sessions/" + siege.NewSession() + "/stop HTTP/1.1\r\nHost: " + address + "\r\nOrigin: " + p.URL + "\r\nCookie: " + cookie + "\r\nContent-Length: 0\r\n\r\n")
	s.Held("the page itself is served", status == http.StatusNotFound, "%d %s", status, body)
}
