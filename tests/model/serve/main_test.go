package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestServe(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	dump := t.TempDir()
	stdout, w := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, []string{"-dump", dump, "text"}, w, t.Output()) }()

	url, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	body := `{"model":"m","tools":[{"name":"Bash"}],"messages":[{"role":"user","content":"echo: it works"}]}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSpace(url)+"/v1/messages", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(answer), `"it works"`) {
		t.Errorf("answer %s, %v", answer, err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("serve ended with %v", err)
	}
}

func TestScriptFromAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.json")
	if err := os.WriteFile(path, []byte(`{"rules":[{"reply":[{"text":"mine"}]}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := load(path); err != nil || len(s.Rules) != 1 {
		t.Errorf("%d rules, %v", len(s.Rules), err)
	}
	if s, err := load(""); err != nil || len(s.Rules) < 20 {
		t.Errorf("%d rules by default, %v", len(s.Rules), err)
	}
	if code := run([]string{"nonsense"}, io.Discard, io.Discard); code != 1 {
		t.Errorf("exit code %d", code)
	}
}
