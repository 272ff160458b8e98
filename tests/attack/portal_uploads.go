package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"betcode/tests/kit"
)

// sendFile sends a file from a page, in one piece of data unless count says otherwise, and returns what became of it.
func (s *siege) sendFile(page *kit.Page, upload, name string, count, size uint64, pieces ...string) kit.AgentLine {
	s.must(page.Send(map[string]any{"type": "FileUploadStart", "upload_id": upload, "filename": name, "content_type": "x", "total_chunks": count, "total_size": size}), "send")
	for i, piece := range pieces {
		s.must(page.Send(map[string]any{"type": "FileUploadChunk", "upload_id": upload, "chunk_index": i, "data": []byte(piece)}), "send")
	}
	return s.frame(page, `"FileUploadResult"`, `"`+upload+`"`)
}

// attackPortalUploads has people at pages send files under names that lead elsewhere, over links, without the right,
// and more than there is room for.
func attackPortalUploads(s *siege) {
	p := s.portal()
	id := session()
	c := s.converse("a", id)
	s.runTurn(c, "echo:there is a session")
	c.Close()
	s.write(s.project("victim"), "precious")
	show := func(scopes ...string) *kit.Page {
		page := s.opens(s.browser(p, scopes...))
		s.must(page.Register(3, id, nil), "register")
		s.frame(page, `"SessionStatus"`)
		return page
	}
	taken := func(l kit.AgentLine) bool { return l.Of["success"] == true }
	stored := filepath.Join(s.world.StateDir(), "proxies", "portal", "uploads")
	page := show("control")

	viewer := show("view")
	l := s.sendFile(viewer, "viewer", "x", 1, 4, "evil")
	s.held("a viewer stores nothing", !taken(l) && !s.exists(stored), "%s", l.Raw)
	early := s.opens(s.browser(p, "control"))
	s.must(early.Send(map[string]any{"type": "FileUploadStart", "upload_id": "e", "filename": "x", "content_type": "x", "total_chunks": 1, "total_size": 4}), "send")
	s.must(early.Send("nonsense"), "send")
	s.frame(early, "Invalid message")
	s.held("nothing is taken before Register", !strings.Contains(fmt.Sprint(early.Frames), "FileUploadResult"), "%v", early.Frames)

	names := []string{"../../victim", s.project("victim"), `..\..\victim`, "victim", "..", ".bashrc", "a\x00b", "\x1b[2J", "a\u202eb", strings.Repeat("x", 5000), ""}
	for i, name := range names {
		l := s.sendFile(page, fmt.Sprint("u", i), name, 1, 4, "evil")
		s.held(fmt.Sprintf("a file named %.20q is stored apart", name), taken(l), "%s", l.Raw)
	}
	s.held("the project's file stays", s.contains(s.project("victim"), "precious"), "it was replaced")
	entries, err := os.ReadDir(stored)
	s.must(err, "list the files")
	s.held("all are there, and nothing was replaced", len(entries) == len(names), "%v", entries)
	for _, e := range entries {
		info, err := e.Info()
		s.must(err, "look at a file")
		s.held(fmt.Sprintf("it is private and plain: %q", e.Name()), info.Mode() == 0o600 && !strings.HasPrefix(e.Name(), ".") && !strings.ContainsAny(e.Name(), "\x00\x1b\u202e"), "%v", info.Mode())
	}

	s.must(os.Symlink(s.project("victim"), filepath.Join(stored, "link")), "plant a link")
	s.must(os.Symlink(s.project("victim"), filepath.Join(stored, fmt.Sprint(".partial-", p.PID()))), "plant a link for the file that is being written")
	l = s.sendFile(page, "link", "link", 1, 4, "evil")
	s.held("a file beside a link is stored under another name", taken(l) && strings.HasSuffix(l.Text("path"), "link-2"), "%s", l.Raw)
	s.held("no link is followed", s.contains(s.project("victim"), "precious"), "the target was written")

	for what, l := range map[string]kit.AgentLine{
		"too large":         s.sendFile(page, "l1", "x", 1, 1<<40),
		"too many pieces":   s.sendFile(page, "l2", "x", 1<<31, 4),
		"no pieces":         s.sendFile(page, "l3", "x", 0, 0),
		"more than it says": s.sendFile(page, "l4", "x", 1, 2, "evil"),
		"less than it says": s.sendFile(page, "l5", "x", 1, 9, "evil"),
		"a long id":         s.sendFile(page, strings.Repeat("l", 5000), "x", 1, 4),
	} {
		s.held("a file is refused: "+what, !taken(l), "%s", l.Raw)
	}
	s.filesHaveRoom(p, page, show, stored)
}

// filesHaveRoom announces more than the portal keeps in memory, and fills the directory.
func (s *siege) filesHaveRoom(p *kit.Portal, page *kit.Page, show func(...string) *kit.Page, stored string) {
	const most = 10 << 20
	refused := 0
	for i := range 8 {
		waiting := show("control")
		s.must(waiting.Send(map[string]any{"type": "FileUploadStart", "upload_id": fmt.Sprint("w", i), "filename": "x", "content_type": "x", "total_chunks": 2, "total_size": most}), "send")
		s.must(waiting.Send("nonsense"), "send")
		s.frame(waiting, "Invalid message")
		if strings.Contains(fmt.Sprint(waiting.Frames), "too many files arrive") {
			refused++
		}
		if i == 7 {
			waiting.Close()
		}
	}
	s.held("files that are announced have a bound", refused == 2, "%d of 8 were refused", refused)
	peak, err := p.Memory()
	s.must(err, "read the portal's memory")
	s.held("memory is bounded", peak < 256<<20, "%d MiB at most", peak>>20)
	s.must(os.WriteFile(filepath.Join(stored, "full"), bytes.Repeat([]byte("x"), 1), 0o600), "write")
	s.must(os.Truncate(filepath.Join(stored, "full"), 256<<20), "fill the directory")
	l := s.sendFile(page, "full", "x", 1, 4, "evil")
	s.held("the directory has a bound", l.Of["success"] != true && strings.Contains(l.Raw, "is full"), "%s", l.Raw)
}
