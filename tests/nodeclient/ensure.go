package nodeclient

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed" // the pins and the client
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// ErrUnavailable reports that this machine has no node or npm, or cannot reach the package
// registry. Content that differs from the pins is another error.
var ErrUnavailable = errors.New("no Node environment")

// The files of an installation.
var (
	//go:embed package.json
	manifest []byte
	//go:embed package-lock.json
	lockfile []byte
	//go:embed client.mjs
	client []byte
	//go:embed scenarios.mjs
	scenarios []byte
)

// Client is an installed client.
type Client struct {
	node, directory string
}

// Command returns the command that plays a scenario, in a clean environment below home.
func (c Client) Command(ctx context.Context, home, scenario string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.node, filepath.Join(c.directory, "scenarios.mjs"), scenario)
	cmd.Dir, cmd.Env = home, environment(home)
	return cmd
}

// environment is the complete environment of node: nothing of the caller but PATH.
func environment(home string) []string {
	return []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TMPDIR=" + home}
}

// Ensure returns the client, installed below cache with its packages. Any number of
// processes may call Ensure at once.
func Ensure(ctx context.Context, cache string) (Client, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return Client{}, fmt.Errorf("%w: node is not installed", ErrUnavailable)
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return Client{}, fmt.Errorf("%w: npm is not installed", ErrUnavailable)
	}
	version, err := exec.CommandContext(ctx, node, "--version").Output()
	if err != nil {
		return Client{}, fmt.Errorf("%w: %s does not run: %w", ErrUnavailable, node, err)
	}
	sum := sha256.Sum256(bytes.Join([][]byte{version, manifest, lockfile, client, scenarios}, []byte{0}))
	final := filepath.Join(cache, hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return Client{}, fmt.Errorf("make cache directory: %w", err)
	}
	lock := flock.New(final + ".lock")
	if err := lock.Lock(); err != nil {
		return Client{}, fmt.Errorf("lock node cache: %w", err)
	}
	defer func() { _ = lock.Close() }()
	if _, err := os.Stat(final); err == nil {
		return Client{node, final}, nil
	}
	if err := install(ctx, npm, final); err != nil {
		return Client{}, err
	}
	return Client{node, final}, nil
}

// install creates the installation beside final and renames it into place. The caller holds the
// lock.
func install(ctx context.Context, npm, final string) error {
	temporary, err := os.MkdirTemp(filepath.Dir(final), "partial-")
	if err != nil {
		return fmt.Errorf("make temporary directory: %w", err)
	}
	defer os.RemoveAll(temporary)
	home, err := os.MkdirTemp("", "betcode-npm-") // its cache and its logs are thrown away
	if err != nil {
		return fmt.Errorf("make temporary home for npm: %w", err)
	}
	defer os.RemoveAll(home)
	for name, content := range map[string][]byte{
		"package.json": manifest, "package-lock.json": lockfile, "client.mjs": client, "scenarios.mjs": scenarios,
	} {
		if err := os.WriteFile(filepath.Join(temporary, name), content, 0o644); err != nil {
			return fmt.Errorf("write client: %w", err)
		}
	}
	cmd := exec.CommandContext(ctx, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier")
	cmd.Dir, cmd.Env = temporary, append(environment(home), registry()...)
	output, err := cmd.CombinedOutput()
	switch {
	case err != nil && strings.Contains(string(output), "EINTEGRITY"):
		return fmt.Errorf("npm ci: %w\n%s", err, output)
	case err != nil:
		return fmt.Errorf("%w: npm ci (is the npm registry reachable?): %w\n%s", ErrUnavailable, err, output)
	}
	if err := os.Rename(temporary, final); err != nil {
		return fmt.Errorf("move installation into place: %w", err)
	}
	return nil
}

// registry returns the variables by which npm finds its registry on this machine, and the
// caller's .npmrc.
func registry() (env []string) {
	if user, err := os.UserHomeDir(); err == nil && os.Getenv("NPM_CONFIG_USERCONFIG")+os.Getenv("npm_config_userconfig") == "" {
		env = append(env, "NPM_CONFIG_USERCONFIG="+filepath.Join(user, ".npmrc"))
	}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(strings.ToLower(entry), "=")
		switch {
		case strings.HasPrefix(name, "npm_config_"), strings.HasSuffix(name, "_proxy"), name == "node_extra_ca_certs", name == "ssl_cert_file":
			env = append(env, entry)
		}
	}
	return env
}
