package cli

import (
	"fmt"
	"mime"
	"net/http"
	"path/filepath"

	"betcode/cmd/betcode/internal/exit"
	"betcode/messages/regular"
	pb "betcode/proto/betcode/v1"
)

// maxAttachment bounds a file, before the daemon refuses the message as too large.
const maxAttachment = 32 << 20

// attachments reads files that are sent with a prompt. The type is that of the name, or of the content if the name has none.
func attachments(paths []string) ([]*pb.Attachment, error) {
	var files []*pb.Attachment
	for _, path := range paths {
		data, err := regular.Read(path, maxAttachment)
		if err != nil {
			return nil, exit.Usage(fmt.Errorf("read attachment: %w", err))
		}
		kind := mime.TypeByExtension(filepath.Ext(path))
		if kind == "" {
			kind = http.DetectContentType(data)
		}
		if kind, _, err = mime.ParseMediaType(kind); err != nil {
			return nil, exit.Usage(fmt.Errorf("read attachment: find the type of %s: %w", path, err))
		}
		files = append(files, &pb.Attachment{Filename: filepath.Base(path), MimeType: kind, Data: data})
	}
	return files, nil
}
