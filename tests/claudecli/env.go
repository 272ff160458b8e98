package claudecli

// Env is the whole environment of a run of Claude Code in a test or the demo:
// nothing of the caller's environment is passed on. home must exist and should
// be temporary; transcripts, configuration and temporary files go there. With a
// baseURL the CLI talks to that server only.
//
// A test may append variables; the last of two equal names counts.
func Env(home, baseURL string) []string {
	env := []string{
		"HOME=" + home,
		"TMPDIR=" + home,
		"CLAUDE_CODE_TMPDIR=" + home,
		"PATH=/usr/local/bin:/usr/bin:/bin",
		"LANG=C.UTF-8",
		"SHELL=/bin/bash",
		"ANTHROPIC_API_KEY=dummy",
		"DISABLE_AUTOUPDATER=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"IS_SANDBOX=1",
	}
	if baseURL != "" {
		env = append(env, "ANTHROPIC_BASE_URL="+baseURL)
	}
	return env
}
