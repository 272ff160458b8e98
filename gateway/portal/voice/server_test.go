package voice

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A recogniser that is a server gets the audio, and no other host does.
func TestServer(t *testing.T) {
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	defer stranger.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		switch r.URL.Path {
		case "/json":
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			_ = json.NewEncoder(w).Encode(map[string]any{"text": fmt.Sprint(n, " bytes of ", r.Header.Get("Content-Type"), " in ", r.Header.Get("Content-Language"))})
		case "/text":
			fmt.Fprintln(w, "one\ntwo")
		case "/elsewhere":
			http.Redirect(w, r, stranger.URL, http.StatusTemporaryRedirect)
		case "/flood":
			for range 100 {
				_, _ = w.Write(bytes.Repeat([]byte("x"), 1<<20))
			}
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	for path, want := range map[string]string{
		"/json": `5 bytes of ` + PCM + ` in en-GB, <nil>`, "/text": "one two, <nil>",
		"/elsewhere": ", the recogniser answered 307", "/flood": ", the recogniser writes too much", "/nothing": ", the recogniser answered 404",
	} {
		s, err := NewServer(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := New(s, 0, nil).Transcribe(t.Context(), Audio{strings.NewReader("12345"), PCM, "en-GB"})
		if said := fmt.Sprint(got, ", ", err); said != want {
			t.Errorf("%s: %s, want %s", path, said, want)
		}
		s.Close()
	}
	for address, ok := range map[string]bool{
		"https://stt.example/v1": true, "http://127.0.0.1:9": true, "http://localhost:9": true, "http://[::1]:9": true,
		"http://stt.example": false, "http://127.0.0.1.evil.example": false, "http://10.0.0.1": false, "ftp://127.0.0.1": false, "": false,
		"https://user:pass@stt.example": false, "file:///etc/passwd": false,
	} {
		if s, err := NewServer(address); (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		} else if s != nil {
			s.Close()
		}
	}
}
