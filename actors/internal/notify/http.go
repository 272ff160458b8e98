package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"

	"betcode/actors/settings"
)

const (
	maxSecret = 4 << 10 // bytes of a file with a secret
	maxAnswer = 64 << 10
)

// webhook posts the notice as JSON. With a secret, the header X-Betcode-Signature has the HMAC-SHA256 of the body.
func (n *Notifier) webhook(ctx context.Context, s *settings.Settings, notice Notice, key string) error {
	if s.NotifyWebhook == "" {
		return nil // the setting was removed
	}
	body, err := json.Marshal(notice)
	if err != nil {
		return err
	}
	header := http.Header{"Idempotency-Key": {key}}
	if s.NotifyWebhookSecret != "" {
		secret, err := secretIn(s.NotifyWebhookSecret)
		if err != nil {
			return err
		}
		sum := hmac.New(sha256.New, []byte(secret))
		sum.Write(body)
		header.Set("X-Betcode-Signature", "sha256="+hex.EncodeToString(sum.Sum(nil)))
	}
	return n.post(ctx, s.NotifyWebhook, header, body)
}

// message is a message for an ntfy server. No value is sent as a header, so no text can add one.
type message struct {
	Topic    string   `json:"topic"`
	Title    string   `json:"title"`
	Message  string   `json:"message"`
	Priority int      `json:"priority"`
	Tags     []string `json:"tags"`
}

// The priorities of ntfy that are used.
const (
	usual = 3
	high  = 4
)

// ntfy posts the notice to a topic. The server's address is the URL of the topic without its last part.
func (n *Notifier) ntfy(ctx context.Context, s *settings.Settings, notice Notice) error {
	if s.NotifyNtfy == "" {
		return nil // the setting was removed
	}
	at := strings.LastIndexByte(s.NotifyNtfy, '/')
	server, topic := s.NotifyNtfy[:at+1], s.NotifyNtfy[at+1:]
	if topic == "" {
		return errors.New("the URL names no topic")
	}
	m := message{Topic: topic, Title: notice.title(), Message: notice.Message, Priority: usual, Tags: []string{"robot"}}
	if notice.Request() != "" {
		m.Priority, m.Tags = high, []string{"question"}
	}
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	header := http.Header{}
	if s.NotifyNtfyToken != "" {
		token, err := secretIn(s.NotifyNtfyToken)
		if err != nil {
			return err
		}
		header.Set("Authorization", "Bearer "+token)
	}
	return n.post(ctx, server, header, body)
}

// post posts JSON and requires a successful answer. Errors do not contain the path of the URL, which may be secret.
func (n *Notifier) post(ctx context.Context, to string, header http.Header, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return errors.New("the URL cannot be used")
	}
	header.Set("Content-Type", "application/json")
	header.Set("User-Agent", "betcode")
	request.Header = header
	answer, err := n.client.Do(request)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return fmt.Errorf("post to %s: %w", request.URL.Host, err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswer)) // so that the connection can be used again
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return fmt.Errorf("%s answers %s", request.URL.Host, answer.Status)
	}
	return nil
}

// secretIn reads a secret from a file that only its owner can read.
func secretIn(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("%s must be readable by you only: chmod 600", path)
	}
	raw, err := io.ReadAll(io.LimitReader(file, maxSecret))
	if err != nil {
		return "", err
	}
	secret := strings.TrimSpace(string(raw))
	if secret == "" || strings.ContainsAny(secret, "\r\n") {
		return "", fmt.Errorf("%s has no secret in one line", path)
	}
	return secret, nil
}
