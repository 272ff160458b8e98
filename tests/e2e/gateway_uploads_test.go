package e2e

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/uuid"

	"betcode/tests/foreignproxy"
)

// upload sends a file from a page in pieces of a size, in any order, and the first one twice.
func (s *shown) upload(name string, content []byte, size int) (id string) {
	s.Helper()
	id = uuid.NewString()
	pieces := slices.Collect(slices.Chunk(content, size))
	s.send(object{"type": "FileUploadStart", "upload_id": id, "filename": name, "content_type": "x/y", "total_chunks": len(pieces), "total_size": len(content)})
	for _, i := range append([]int{0}, rand.Perm(len(pieces))...) {
		s.send(object{"type": "FileUploadChunk", "upload_id": id, "chunk_index": i, "data": pieces[i]})
	}
	return id
}

// A page sends a file for an agent of the daemon's own. It is stored apart, under a name that nothing has, and the
// page learns its path. A file that is not complete when the portal is killed leaves nothing.
func TestPageUploads(t *testing.T) {
	t.Parallel()
	p := newPortal(t, newStory(t, binaries.fake))
	id := p.begin("echo:hello")
	b := p.browser("phone", "control")
	stored := filepath.Join(p.world.StateDir(), "proxies", "portal", "uploads")
	content := bytes.Repeat([]byte("0123456789abcdef"), 1<<16) // 1 MiB
	page := p.open(b, 3, id, nil)
	page.wait(`"SessionStatus"`)
	for _, want := range []string{"photo.png", "photo-2.png"} {
		upload := page.upload("../../photo.png", content, 64<<10)
		page.wait(`"ClaudeOutput"`, want, "is stored as")
		result := page.wait(`"FileUploadResult"`, upload, `"success":true`)
		path := filepath.Join(stored, want)
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, content) || result.Text("path") != path {
			t.Errorf("%s: %d bytes at %q, %v", want, len(got), result.Text("path"), err)
		}
	}
	old := p.open(b, 2, id, nil)
	old.wait(`"SessionStatus"`)
	old.upload("small.txt", content[:5000], 1<<10)
	old.wait("small.txt", "is stored as")

	page.send(object{"type": "FileUploadStart", "upload_id": "u", "filename": "part.txt", "content_type": "", "total_chunks": 2, "total_size": 2})
	page.send(object{"type": "FileUploadChunk", "upload_id": "u", "chunk_index": 0, "data": []byte("a")})
	page.send(object{"type": "FileUploadStart", "upload_id": "v", "filename": "next.txt", "content_type": "", "total_chunks": 1, "total_size": 20 << 20})
	page.wait(`"FileUploadResult"`, `"u"`, `"success":false`, "before it was complete")
	page.wait(`"FileUploadResult"`, `"v"`, `"success":false`, "more than 10 MiB")
	p.Kill()
	left, err := os.ReadDir(stored)
	if err != nil || len(left) != 3 {
		t.Errorf("there are %v %v", left, err)
	}
}

// A page sends a file for an agent under a proxy. It goes to the proxy; G1 knows no files.
func TestPageUploadsToProxy(t *testing.T) {
	t.Parallel()
	p := newPortal(t, newStory(t, binaries.fake))
	b := p.browser("phone", "control")
	content := bytes.Repeat([]byte("x"), 100_000)
	for generation := 1; generation <= 3; generation++ {
		f := p.proxy(foreignproxy.Options{Generation: generation})
		f.registered()
		page := p.open(b, 3, f.session, nil)
		page.wait(`"SessionStatus"`, "active")
		upload := page.upload("dir/a b.txt", content, 32<<10)
		if generation == 1 {
			page.wait(`"FileUploadResult"`, upload, `"success":false`, "G1 accepts no files")
			continue
		}
		page.wait(`"FileUploadResult"`, upload, `"success":true`)
		f.until("the file has come", func(s foreignproxy.Seen) bool { return bytes.Equal(s.Files["a_b.txt"], content) })
		f.Disconnect()
		if s := f.Seen(); len(s.Broken) > 0 {
			t.Errorf("seen %v", s.Broken)
		}
	}
}
