package claude

import (
	"fmt"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"betcode/messages"
)

// imageTypes are the types of images that the model accepts.
var imageTypes = []string{"image/gif", "image/jpeg", "image/png", "image/webp"}

// textTypes are types of texts, in addition to text/*.
var textTypes = []string{
	"application/javascript", "application/json", "application/sql", "application/toml", "application/typescript",
	"application/x-ndjson", "application/x-sh", "application/x-yaml", "application/xml", "application/yaml",
}

// byExtension has the types of files that come without one. It replaces the tables of the
// system, which differ from machine to machine.
var byExtension = map[string]string{
	".gif": "image/gif", ".jpeg": "image/jpeg", ".jpg": "image/jpeg", ".png": "image/png", ".webp": "image/webp",
	".pdf": typePDF,
}

const (
	typePDF  = "application/pdf"
	typeText = "text/plain"
	accepted = "Accepted are PNG, JPEG, GIF and WebP images of 10 MiB, PDF documents of 22 MiB and text files of 1 MiB, 23 MiB together."
)

// The bounds of files, in bytes. The request to the API, with the files as base64, must
// stay below 32 MB.
const (
	maxImage       = 10 << 20
	maxDocument    = 22 << 20
	maxText        = 1 << 20
	maxAttachments = 23 << 20
)

// refuseAttachment returns an error with the file that is refused, the reason, and the files that are accepted.
func refuseAttachment(i int, a messages.Attachment, why error) error {
	return messages.Errorf("check message", messages.Invalid, "attachment %d (%s): %w", i+1, attachmentName(a), why).WithHint(accepted)
}

// checkAttachments refuses files that the agent or the API would refuse, or replace by a
// line that they could not be read: files that are too large, or not of their declared
// type.
func checkAttachments(attachments []messages.Attachment) error {
	together := 0
	for i, a := range attachments {
		if err := checkAttachment(a); err != nil {
			return refuseAttachment(i, a, err)
		}
		together += len(a.Data)
	}
	if together > maxAttachments {
		return messages.Errorf("check message", messages.Invalid, "the attachments have %d bytes together, at most %d are taken", together, maxAttachments).
			WithHint(accepted)
	}
	return nil
}

func checkAttachment(a messages.Attachment) error {
	kind := mediaType(a)
	most := maxText
	switch {
	case slices.Contains(imageTypes, kind):
		most = maxImage
	case kind == typePDF:
		most = maxDocument
	}
	if len(a.Data) > most {
		return fmt.Errorf("it has %d bytes, at most %d are taken", len(a.Data), most)
	}
	if most == maxText {
		return nil
	}
	if is := http.DetectContentType(a.Data); is != kind {
		return fmt.Errorf("it is said to be %s, and it is %s", kind, is)
	}
	return nil
}

func attachmentBlock(a messages.Attachment) (userBlock, error) {
	kind := mediaType(a)
	switch {
	case len(a.Data) == 0:
		return userBlock{}, fmt.Errorf("it is empty")
	case slices.Contains(imageTypes, kind):
		return userBlock{Type: "image", Source: &userSource{"base64", kind, a.Data}}, nil
	case kind == typePDF:
		return userBlock{Type: "document", Source: &userSource{"base64", kind, a.Data}, Title: attachmentName(a)}, nil
	case !strings.HasPrefix(kind, "text/") && !slices.Contains(textTypes, kind):
		return userBlock{}, fmt.Errorf("files of type %s cannot be sent", oneLine(kind, 64))
	case !utf8.Valid(a.Data):
		return userBlock{}, fmt.Errorf("it is no text in UTF-8")
	}
	return userBlock{Type: "text", Text: "File " + attachmentName(a) + ":\n\n" + string(a.Data)}, nil
}

// mediaType returns the type of a file: the declared one, otherwise one by its name, otherwise
// text if it is a text.
func mediaType(a messages.Attachment) string {
	kind, _, err := mime.ParseMediaType(a.MimeType)
	if err != nil {
		kind = strings.ToLower(strings.TrimSpace(a.MimeType))
	}
	switch kind {
	case "image/jpg":
		return "image/jpeg"
	case "application/x-pdf":
		return typePDF
	case "", "application/octet-stream":
		if known, ok := byExtension[strings.ToLower(path.Ext(a.Filename))]; ok {
			return known
		}
		if utf8.Valid(a.Data) && !slices.Contains(a.Data, 0) {
			return typeText
		}
		return "application/octet-stream"
	}
	return kind
}

// attachmentName returns the file's name, without a directory and on one line.
func attachmentName(a messages.Attachment) string {
	name := oneLine(path.Base(strings.ReplaceAll(a.Filename, `\`, "/")), 255)
	if name == "" || name == "." || name == ".." || name == "/" {
		return "unnamed"
	}
	return name
}
