package claude

import (
	"errors"
	"strings"
	"testing"

	"betcode/messages"
)

func TestRefusedMessages(t *testing.T) {
	for name, c := range map[string]struct {
		key, content string
		file         *messages.Attachment
	}{
		"no key":         {"", "hello", nil},
		"empty":          {"u", " \n", nil},
		"empty file":     {"u", "x", &messages.Attachment{Filename: "a.png", MimeType: "image/png"}},
		"a picture":      {"u", "x", &messages.Attachment{Filename: "a.svg", MimeType: "image/svg+xml", Data: []byte("<svg/>")}},
		"a program":      {"u", "x", &messages.Attachment{Filename: "a.out", Data: []byte{0x7f, 'E', 'L', 'F', 0}}},
		"not UTF-8":      {"u", "x", &messages.Attachment{Filename: "a.txt", MimeType: "text/plain", Data: []byte{0xff}}},
		"an archive":     {"u", "x", &messages.Attachment{Filename: "a.zip", MimeType: "application/zip", Data: []byte("PK")}},
		"no picture":     {"u", "x", &messages.Attachment{Filename: "a.png", MimeType: "image/png", Data: []byte("<svg/>")}},
		"other picture":  {"u", "x", &messages.Attachment{Filename: "a.png", MimeType: "image/png", Data: []byte("\xff\xd8\xff\xe0")}},
		"no document":    {"u", "x", &messages.Attachment{Filename: "a.pdf", MimeType: "application/pdf", Data: []byte("PK\x03\x04")}},
		"large picture":  {"u", "x", file("image/gif", "GIF89a", maxImage+1)},
		"large document": {"u", "x", file("application/pdf", "%PDF-1.7", maxDocument+1)},
		"large text":     {"u", "x", file("text/plain", "x", maxText+1)},
		"type with text": {"u", "x", &messages.Attachment{Filename: "a", MimeType: "video/mp4\nx", Data: []byte("x")}},
	} {
		var files []messages.Attachment
		if c.file != nil {
			files = append(files, *c.file)
		}
		err := CheckInput(c.content, files)
		if c.key == "" {
			_, err = UserLine(c.key, c.content, files)
		}
		var e *messages.Error
		if !errors.As(err, &e) || e.Kind != messages.Invalid {
			t.Errorf("%s: %v, want Invalid", name, err)
			continue
		}
		if c.file != nil && !strings.Contains(e.Hint, "PNG") {
			t.Errorf("%s: the hint %q does not say what is accepted", name, e.Hint)
		}
	}
}

// file is an attachment of a size that begins with a text; the rest is zeros.
func file(kind, begins string, size int) *messages.Attachment {
	data := make([]byte, size)
	copy(data, begins)
	return &messages.Attachment{Filename: "a", MimeType: kind, Data: data}
}

// What is accepted can be sent; together the files have a limit as well.
func TestAcceptedAttachments(t *testing.T) {
	whole(t)
	for name, files := range map[string][]messages.Attachment{
		"a large picture":  {*file("image/gif", "GIF89a", maxImage)},
		"a large document": {*file("application/x-pdf", "%PDF-1.7", maxDocument)},
		"a large text":     {*file("application/json", "{}", maxText)},
		"each kind":        {*file("image/png", "\x89PNG\r\n\x1a\n", 99), *file("image/jpg", "\xff\xd8\xff", 99), *file("image/webp", "RIFF\x00\x00\x00\x00WEBPVP8 ", 99), *file("", "x", 1)},
	} {
		err := CheckInput("", files)
		if err == nil {
			_, err = UserLine("k", "", files)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	together := []messages.Attachment{*file("image/gif", "GIF89a", maxImage), *file("image/gif", "GIF89a", maxImage), *file("image/gif", "GIF89a", maxImage)}
	if err := CheckInput("", together); messages.KindOf(err) != messages.Invalid {
		t.Errorf("all together: %v", err)
	}
}

func TestAttachmentTypes(t *testing.T) {
	for _, c := range []struct{ name, declared, data, want string }{
		{"a.go", "", "package x", "text"},
		{"a.json", "application/json", "{}", "text"},
		{"README", "application/octet-stream", "hi", "text"},
		{"a.PNG", "application/octet-stream", "\x89PNG\x00", "image"},
		{"a.jpg", "image/jpg", "x", "image"},
		{"a", "IMAGE/WEBP", "x", "image"},
		{"a.pdf", "", "%PDF-1.4\x00", "document"},
		{"a.csv", "text/csv", "a;b", "text"},
	} {
		b, err := attachmentBlock(messages.Attachment{Filename: c.name, MimeType: c.declared, Data: []byte(c.data)})
		if err != nil || b.Type != c.want {
			t.Errorf("%s as %q: %q, %v; want %s", c.name, c.declared, b.Type, err, c.want)
		}
	}
	for name, want := range map[string]string{
		"": "unnamed", "..": "unnamed", "/": "unnamed", `C:\x\y.txt`: "y.txt", "a\nb": "a b", "d/e": "e",
	} {
		if got := attachmentName(messages.Attachment{Filename: name}); got != want {
			t.Errorf("name of %q is %q, want %q", name, got, want)
		}
	}
}
