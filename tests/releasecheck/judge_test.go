package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"strings"
	"testing"
	"time"
)

// packed returns an archive of empty files, and calls change on the header of README.md.
func packed(t *testing.T, change func(*tar.Header)) []byte {
	t.Helper()
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	entries := tar.NewWriter(zipped)
	for _, name := range wanted {
		h := &tar.Header{Name: "betcode_1/" + name, Mode: modeOf(tar.TypeReg, name), Uname: "root", Gname: "root", ModTime: time.Unix(1, 0)}
		if name == "README.md" && change != nil {
			change(h)
		}
		if err := entries.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
	}
	if err := entries.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestArchivesThatDependOnTheirBuilder(t *testing.T) {
	if _, err := judgeArchive(packed(t, nil)); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*tar.Header){
		"time":  func(h *tar.Header) { h.ModTime = time.Unix(2, 0) },
		"owner": func(h *tar.Header) { h.Uid = 1000 },
		"group": func(h *tar.Header) { h.Gname = "ada" },
		"mode":  func(h *tar.Header) { h.Mode = 0o664 },
		"name":  func(h *tar.Header) { h.Name = "betcode_1/READ" },
	} {
		if _, err := judgeArchive(packed(t, change)); err == nil || !strings.Contains(err.Error(), "READ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBillsThatDependOnTheirBuild(t *testing.T) {
	const good = `{"bomFormat": "CycloneDX", "components": [{"name": "google.golang.org/grpc", "version": "v1"}]}`
	if err := judgeBill([]byte(good)); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{
		strings.Replace(good, "{", `{"serialNumber": "urn:uuid:1", `, 1), strings.Replace(good, "{", `{"metadata": {"timestamp": "2026"}, `, 1),
		strings.Replace(good, "grpc", "other", 1), "{}", "",
	} {
		if judgeBill([]byte(bad)) == nil {
			t.Errorf("%s passes", bad)
		}
	}
}

func TestBinariesThatAreNotStatic(t *testing.T) {
	shell, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Skip("there is no /bin/sh here")
	}
	for _, target := range targets {
		if judgeBinary(target, shell) == nil { // it is for one system, and dynamic there
			t.Errorf("%s: /bin/sh passes", target)
		}
	}
}
