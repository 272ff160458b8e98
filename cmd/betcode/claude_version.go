package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"betcode/config"
)

// claudeVersion asks the agent's executable for its version, once, when somebody
// wants to know. An agent that does not answer has none.
func claudeVersion(program string, environment config.AgentEnvironment) func() string {
	return sync.OnceValue(func() string {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		ask := exec.CommandContext(ctx, program, "--version")
		ask.Env = environment.Inherited(os.Environ())
		out, err := ask.Output()
		if err != nil {
			return ""
		}
		version, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
		return version
	})
}
