package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"betcode/messages/claudecode"
	"betcode/tests/kit"
)

const declarationsOfTest = `
import type { X } from 'x';
/* A comment with } and ' in it. */
export declare type StdoutMessage = coreTypes.Said | SDKControlRequest;
declare type Said = {
    type: 'said';
    /**
     * Several words; { and a brace.
     */
    text?: string | null;
    parts: {
        'kind': 'a' | 'b';
        deep: { deeper: { deepest: string }; }[];
    }[];
    by_model: Record<string, Usage>;
    call(x: { no: string }): void;
    handler?: (x: string) => Promise<void>;
    origin: Origin | null
};
export declare interface Usage { tokens: number; }
declare type Origin = { kind: 'person'; } & { id: string };
declare type SDKControlRequest = { type: 'control_request'; request_id: string; request: SDKControlRequestInner };
declare type SDKControlRequestInner = Ask | { subtype: 'stop' };
declare type Ask = { subtype: 'ask'; tool: string };
export declare type SDKControlAskResponse = { answer: string };
declare const unrelated: { type: 'no' };
`

// TestNames checks the names that are extracted from declarations.
func TestNames(t *testing.T) {
	all, err := parse(declarationsOfTest)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range names(all) {
		got = append(got, r.kind+" "+r.name)
	}
	want := []string{
		"message control_request", "message said",
		"member control_request.request_id",
		"member said.by_model", "member said.by_model.*.tokens",
		"member said.handler", "member said.origin", "member said.origin.id", "member said.origin.kind",
		"member said.parts", "member said.parts.deep", "member said.parts.deep.deeper", "member said.parts.kind", "member said.text",
		"request ask", "request stop", "argument ask.tool", "answer ask.answer",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestNothingToParse checks that a file without declarations is no SDK without names.
func TestNothingToParse(t *testing.T) {
	for _, text := range []string{"", "<html>", "declare type Broken = { a: {"} {
		if all, err := parse(text); err == nil && len(names(all)) > 0 {
			t.Errorf("%q has names", text)
		}
	}
}

// TestTableHasWhatTheSDKHas fails when the pinned SDK has a name that the table lacks.
func TestTableHasWhatTheSDKHas(t *testing.T) {
	known, err := readTable(tableFile())
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := ensure(t.Context(), known.version, known.integrity, t.Output())
	if errors.Is(err, errNoNPM) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	all, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	missing, gone := differences(names(all), known)
	for _, name := range missing {
		t.Errorf("the table lacks: %s", name)
	}
	for _, name := range gone {
		t.Errorf("the SDK no longer has: %s", name)
	}
	if t.Failed() {
		t.Log("run make sdk")
	}
	for _, r := range known.rows {
		if !slices.Contains(verdicts, r.verdict) {
			t.Errorf("%s %s has the verdict %q", r.kind, r.name, r.verdict)
		}
	}
}

// TestSDKIsOfTheNewestVersion checks that the SDK is pinned together with the newest
// Claude Code: both have the same last number.
func TestSDKIsOfTheNewestVersion(t *testing.T) {
	known, err := readTable(tableFile())
	if err != nil {
		t.Fatal(err)
	}
	last := func(version string) string { return version[strings.LastIndexByte(version, '.')+1:] }
	if last(known.version) != last(claudecode.Newest()) {
		t.Errorf("SDK %s is not that of Claude Code %s: run make sdk SDK=X.Y.Z", known.version, claudecode.Newest())
	}
}

// TestPageHasTheSummary holds docs/compatibility.md to the table.
func TestPageHasTheSummary(t *testing.T) {
	known, err := readTable(tableFile())
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(kit.Repository(), "docs", "compatibility.md"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := known.onPage(string(b))
	if err != nil {
		t.Fatal(err)
	}
	if page != string(b) {
		t.Error("the summary on the page is not that of the table: run make sdk")
	}
}
