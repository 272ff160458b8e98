package gateways

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// sendFile sends a file from a page, in one piece of data unless count says otherwise, and returns the result.
func sendFile(s *siege.Siege, page *kit.Page, upload, name string, count, size uint64, pieces ...string) kit.AgentLine {
	s.Must(page.Send(map[string]any{"type": "FileUploadStart", "upload_id": upload, "filename": name, "content_type": "x", "total_chunks": count, "total_size": size}), "send")
	for i, piece := range pieces {
		s.Must(page.Send(map[string]any{"type": "FileUploadChunk", "upload_id": upload, "chunk_index": i, "data": []byte(piece)}), "send")
	}
	return sendFrame(s, page, `"FileUploadResult"`, `"`+upload+`"`)
}

// attackPortalUploads has people at pages send files under names that lead elsewhere, over links, without the right,
// and more than there is room for.
func attackPortalUploads(s *siege.Siege) {
	p := portal(s)
	id := siege.NewSession()
	c := s.Converse("a", id)
	s.RunTurn(c, "echo:there is a session")
	c.Close()
	s.Write(s.Project("victim"), "precious")
	show := func(b *kit.Browser) *kit.Page {
		page := opens(s, b)
		s.Must(page.Register(3, id, nil), "register")
		sendFrame(s, page, `"SessionStatus"`)
		return page
	}
	taken := func(l kit.AgentLine) bool { return l.Of["success"] == true }
	stored := filepath.Join(s.World.StateDir(), "proxies", "portal", "uploads")
	page := show(browser(s, p, "control"))

	viewer := show(browser(s, p, "view"))
	l := sendFile(s, viewer, "viewer", "x", 1, 4, "evil")
	s.Held("a viewer stores nothing", !taken(l) && !s.Exists(stored), "%s", l.Raw)
	early := opens(s, browser(s, p, "control"))
	s.Must(early.Send(map[string]any{"type": "FileUploadStart", "upload_id": "e", "filename": "x", "content_type": "x", "total_chunks": 1, "total_size": 4}), "send")
	s.Must(early.Send("nonsense"), "send")
	sendFrame(s, early, "Invalid message")
	s.Held("nothing is taken before Register", !strings.Contains(fmt.Sprint(early.Frames), "FileUploadResult"), "%v", early.Frames)

	names := []string{"../../victim", s.Project("victim"), `..\..\victim`, "victim", "..", ".bashrc", "a\x00b", "\x1b[2J", "a\u202eb", strings.Repeat("x", 5000), "", "-rf", "\u3164"}
	for i, name := range names {
		l := sendFile(s, page, fmt.Sprint("u", i), name, 1, 4, "evil")
		s.Held(fmt.Sprintf("a file named %.20q is stored apart", name), taken(l), "%s", l.Raw)
	}
	s.Held("the project's file stays", s.Contains(s.Project("victim"), "precious"), "it was replaced")
	entries, err := os.ReadDir(stored)
	s.Must(err, "list the files")
	s.Held("all are there, and nothing was replaced", len(entries) == len(names), "%v", entries)
	for _, e := range entries {
		info, err := e.Info()
		s.Must(err, "look at a file")
		s.Held(fmt.Sprintf("it is private and plain: %q", e.Name()), info.Mode() == 0o600 && !strings.ContainsAny(e.Name()[:1], ".-") && !strings.ContainsAny(e.Name(), "\x00\x1b\u202e\u3164"), "%v", info.Mode())
	}

	s.Must(os.Symlink(s.Project("victim"), filepath.Join(stored, "link")), "plant a link")
	s.Must(os.Symlink(s.Project("victim"), filepath.Join(stored, fmt.Sprint(".partial-", p.PID()))), "plant a link for the file that is being written")
	l = sendFile(s, page, "link", "link", 1, 4, "evil")
	s.Held("a file beside a link is stored under another name", taken(l) && strings.HasSuffix(l.Text("path"), "link-2"), "%s", l.Raw)
	s.Held("no link is followed", s.Contains(s.Project("victim"), "precious"), "the target was written")

	for what, l := range map[string]kit.AgentLine{
		"too large":         sendFile(s, page, "l1", "x", 1, 1<<40),
		"too many pieces":   sendFile(s, page, "l2", "x", 1<<31, 4),
		"no pieces":         sendFile(s, page, "l3", "x", 0, 0),
		"pieces of nothing": sendFile(s, page, "l6", "x", 60_000, 4),
		"more than it says": sendFile(s, page, "l4", "x", 1, 2, "evil"),
		"less than it says": sendFile(s, page, "l5", "x", 1, 9, "evil"),
		"a long id":         sendFile(s, page, strings.Repeat("l", 5000), "x", 1, 4),
	} {
		s.Held("a file is refused: "+what, !taken(l), "%s", l.Raw)
	}
	filesHaveRoom(s, p, page, show, stored)
}

// filesHaveRoom announces more files than a login may have in memory, and fills the directory.
func filesHaveRoom(s *siege.Siege, p *kit.Portal, page *kit.Page, show func(*kit.Browser) *kit.Page, stored string) {
	const most = 10 << 20
	refused, greedy := 0, browser(s, p, "control")
	for i := range 6 {
		waiting := show(greedy)
		s.Must(waiting.Send(map[string]any{"type": "FileUploadStart", "upload_id": fmt.Sprint("w", i), "filename": "x", "content_type": "x", "total_chunks": 2, "total_size": most}), "send")
		s.Must(waiting.Send("nonsense"), "send")
		sendFrame(s, waiting, "Invalid message")
		if strings.Contains(fmt.Sprint(waiting.Frames), "too many files arrive") {
			refused++
		}
	}
	s.Held("files that a login announces have a bound", refused == 2, "%d of 6 were refused", refused)
	l := sendFile(s, page, "modest", "x", 1, 4, "evil")
	s.Held("it leaves room to others", l.Of["success"] == true, "%s", l.Raw)
	peak, err := p.Memory()
	s.Must(err, "read the portal's memory")
	s.Held("memory is bounded", peak < 256<<20, "%d MiB at most", peak>>20)
	s.Must(os.WriteFile(filepath.Join(stored, "full"), bytes.Repeat([]byte("x"), 1), 0o600), "write")
	s.Must(os.Truncate(filepath.Join(stored, "full"), 256<<20), "fill the directory")
	l = sendFile(s, page, "full", "x", 1, 4, "evil")
	s.Held("the directory has a bound", l.Of["success"] != true && strings.Contains(l.Raw, "is full"), "%s", l.Raw)
}
