package output

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "betcode/proto/betcode/v1"
)

var update = flag.Bool("update", false, "write the golden files")

// messages are the schemas whose shape a message gives.
var messages = map[string]proto.Message{
	"betcode.agents/v1":             &pb.ListAgentsResponse{},
	"betcode.branch.list/v1":        &pb.ListBranchesResponse{},
	"betcode.commands/v1":           &pb.GetCommandRegistryResponse{},
	"betcode.daemon.status/v2":      &pb.HealthDetailsResponse{},
	"betcode.digest/v1":             &pb.DigestResponse{},
	"betcode.fleet/v2":              &pb.FleetState{},
	"betcode.gateway.pair/v1":       &pb.CreateAccessTokenResponse{},
	"betcode.gateway.token/v1":      &pb.CreateProxyTokenResponse{},
	"betcode.gitlab.issue/v2":       &pb.GetIssueResponse{},
	"betcode.gitlab.issues/v2":      &pb.ListIssuesResponse{},
	"betcode.gitlab.jobs/v2":        &pb.GetJobsResponse{},
	"betcode.gitlab.log/v2":         &pb.GetJobLogResponse{},
	"betcode.gitlab.mr/v2":          &pb.GetMergeRequestResponse{},
	"betcode.gitlab.mrs/v2":         &pb.ListMergeRequestsResponse{},
	"betcode.gitlab.pipelines/v2":   &pb.ListPipelinesResponse{},
	"betcode.journal.backup/v2":     &pb.BackupJournalResponse{},
	"betcode.journal.stats/v2":      &pb.JournalStatsResponse{},
	"betcode.machine.list/v2":       &pb.ListMachinesResponse{},
	"betcode.orchestration/v2":      &pb.OrchestrationInfo{},
	"betcode.orchestration.list/v2": &pb.ListOrchestrationsResponse{},
	"betcode.orchestration.plan/v2": &pb.CreateOrchestrationRequest{},
	"betcode.paths/v2":              &pb.ListPathResponse{},
	"betcode.permission/v1":         &pb.PendingPermission{},
	"betcode.permission.explain/v1": &pb.ExplainPermissionResponse{},
	"betcode.permission.list/v2":    &pb.ListPermissionsResponse{},
	"betcode.repo/v1":               &pb.GitRepoDetail{},
	"betcode.repo.list/v1":          &pb.ListReposResponse{},
	"betcode.search/v1":             &pb.SearchResponse{},
	"betcode.session/v2":            &pb.ShowSessionResponse{},
	"betcode.session.budget/v2":     &pb.SessionBudget{},
	"betcode.session.compact/v2":    &pb.CompactSessionResponse{},
	"betcode.session.fork/v2":       &pb.ForkSessionResponse{},
	"betcode.session.list/v2":       &pb.ListSessionsResponse{},
	"betcode.session.new/v1":        &pb.SessionInfo{},
	"betcode.subagent.cancel/v1":    &pb.CancelSubagentResponse{},
	"betcode.subagent.list/v2":      &pb.ListSubagentsResponse{},
	"betcode.subagent.revoke/v1":    &pb.RevokeAutoApproveResponse{},
	"betcode.subagent.spawn/v1":     &pb.SpawnSubagentResponse{},
	"betcode.token.create/v1":       &pb.CreateAccessTokenResponse{},
	"betcode.token.list/v1":         &pb.ListAccessTokensResponse{},
	"betcode.tree/v2":               &pb.TreeNode{},
	"betcode.worktree/v2":           &pb.WorktreeInfo{},
	"betcode.worktree.list/v2":      &pb.ListWorktreesResponse{},
	"betcode.worktree.prune/v1":     &pb.PruneWorktreesResponse{},
	"betcode.worktree.switch/v2":    &pb.SwitchWorktreeResponse{},
}

// written are the schemas whose shape the program writes by hand; tests of their commands hold it.
var written = []string{
	"betcode.config/v1", "betcode.config.check/v1", "betcode.config.get/v1", "betcode.config.path/v1", "betcode.doctor/v1", "betcode.health/v1",
	"betcode.journal.backups/v1", "betcode.journal.repair/v1", "betcode.journal.restore/v1", "betcode.journal.verify/v2",
	"betcode.run/v2", "betcode.session.export/v1", "betcode.status/v1", "betcode.trust.list/v1", "betcode.version/v1",
}

// TestSchemas holds the shapes that programs read. A field that is gone or has another kind needs a new version of its schema.
func TestSchemas(t *testing.T) {
	for name, m := range messages {
		t.Run(name, func(t *testing.T) {
			var shape bytes.Buffer
			writeShape(&shape, m.ProtoReflect().Descriptor(), "", nil)
			file := filepath.Join("testdata", "schemas", strings.ReplaceAll(name, "/", "."))
			if *update {
				if err := os.WriteFile(file, shape.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			held, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := difference(string(held), shape.String()); diff != "" {
				t.Errorf("the shape of %s is another one. A new field is compatible: accept it with 'go test ./cmd/betcode/internal/output -update'. "+
					"A field that is gone or has another kind needs a new version in the name, too.\n%s", name, diff)
			}
		})
	}
}

// writeShape writes a line for each field: its path and its kind in JSON.
func writeShape(w *bytes.Buffer, m protoreflect.MessageDescriptor, path string, above []protoreflect.FullName) {
	for i := range m.Fields().Len() {
		field := m.Fields().Get(i)
		at, kind := path+string(field.Name()), kindOf(field)
		below := field.Message()
		if field.IsMap() {
			at, below = at+"{}", field.MapValue().Message()
		} else if field.IsList() {
			at += "[]"
		}
		fmt.Fprintf(w, "%s %s\n", at, kind)
		if below != nil && isOurs(below) && !slices.Contains(above, below.FullName()) {
			writeShape(w, below, at+".", append(above, m.FullName()))
		}
	}
}

func kindOf(field protoreflect.FieldDescriptor) string {
	if field.IsMap() {
		field = field.MapValue()
	}
	switch field.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return string(field.Message().FullName())
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.EnumKind:
		return "string"
	case protoreflect.BoolKind:
		return "bool"
	}
	return "number"
}

// difference lists the lines that only one of two texts has.
func difference(held, shape string) string {
	var out strings.Builder
	lines := func(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }
	for _, line := range lines(held) {
		if !slices.Contains(lines(shape), line) {
			out.WriteString("- " + line + "\n")
		}
	}
	for _, line := range lines(shape) {
		if !slices.Contains(lines(held), line) {
			out.WriteString("+ " + line + "\n")
		}
	}
	return out.String()
}

// TestSchemasAreHeld finds every schema in the source, so that none is without a golden file.
func TestSchemasAreHeld(t *testing.T) {
	pattern := regexp.MustCompile(`"(betcode\.[a-z.]+/v[0-9]+)"`)
	seen := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, match := range pattern.FindAllStringSubmatch(string(source), -1) {
			seen[match[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range seen {
		if messages[name] == nil && !slices.Contains(written, name) {
			t.Errorf("%s is in no table of this file", name)
		}
	}
	for name := range messages {
		if !seen[name] {
			t.Errorf("no command prints %s", name)
		}
	}
}
