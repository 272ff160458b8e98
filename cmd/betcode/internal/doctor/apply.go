package doctor

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// Apply repairs a finding. Its error names the failed action; the command of the finding is still valid.
func Apply(ctx context.Context, f Finding) error {
	switch {
	case f.fix.private != "":
		return closeDirectory(f.fix.private)
	case f.fix.linger != "":
		ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		if out, err := exec.CommandContext(ctx, "loginctl", "enable-linger", f.fix.linger).CombinedOutput(); err != nil {
			return fmt.Errorf("loginctl enable-linger: %w: %s", err, out)
		}
		return nil
	}
	return fmt.Errorf("mend %s: nothing here can", f.ID)
}

// closeDirectory takes the rights of others from a directory. It opens the directory first, so that a link that takes its
// place meanwhile changes nothing elsewhere.
func closeDirectory(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("close directory: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("close directory: %s is no directory", path)
	}
	dir, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("close directory: %w", err)
	}
	defer dir.Close()
	if now, err := dir.Stat(); err != nil || !os.SameFile(info, now) {
		return fmt.Errorf("close directory: %s has changed meanwhile", path)
	}
	return dir.Chmod(0o700)
}
