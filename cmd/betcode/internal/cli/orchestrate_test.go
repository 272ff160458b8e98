package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// runWith runs a command that needs no daemon.
func runWith(t *testing.T, stdin string, args ...string) (out, errors string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = Run(t.Context(), Build{}, append([]string{"betcode"}, args...), strings.NewReader(stdin), &stdout, &stderr)
	return stdout.String(), stderr.String(), code
}

const samplePlan = "steps:\n  - {id: b, name: Second, prompt: p, depends_on: [a]}\n  - {id: a, prompt: p}\n"

func TestPlanIsShown(t *testing.T) {
	for form, want := range map[string]string{
		"text": "· a\n· b (Second) ← a\n", "dot": `"a" -> "b";`, "mermaid": "s2 --> s1", "json": `"schema": "betcode.orchestration.plan/v2"`,
	} {
		if out, errors, code := runWith(t, samplePlan, "orchestrate", "plan", "-o", form, "-"); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: %d %s%s", form, code, out, errors)
		}
	}
	if _, errors, code := runWith(t, samplePlan, "orchestrate", "plan", "-o", "png", "-"); code == 0 || !strings.Contains(errors, `--output "png" is unknown: it is mermaid, dot`) {
		t.Errorf("%d %s", code, errors)
	}
}

func TestPlanMistakes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(path, []byte("steps:\n  - id: a\n    prompt: p\n    depends_on: [b]\n  - id: b\n    prompt: p\n    depends_on: [a]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, errors, code := runWith(t, "", "orchestrate", "plan", path)
	if code != 5 || !strings.Contains(errors, path+":4:17: the steps depend on each other in a cycle: a → b → a") {
		t.Errorf("%d %s", code, errors)
	}
	if _, errors, code := runWith(t, "", "orchestrate", "plan", path+".gone"); code != 5 || !strings.Contains(errors, "read the plan") {
		t.Errorf("%d %s", code, errors)
	}
}

// The example of the guide is a plan.
func TestPlanOfTheGuide(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/guide.md")
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile("(?s)```yaml\n(.*?steps:.*?)```").FindSubmatch(text)
	if example == nil {
		t.Fatal("the guide has no plan")
	}
	if out, errors, code := runWith(t, string(example[1]), "orchestrate", "plan", "-"); code != 0 || !strings.Contains(out, "review ← api, web") {
		t.Errorf("%d %s%s", code, out, errors)
	}
}
