package protect

import (
	"strings"

	"betcode/actors/internal/realpath"
)

// The reasons. Each ends a sentence that begins with a path.
const (
	agents    = "configures agents"
	servers   = "says which servers agents start"
	gits      = "belongs to git, which runs hooks and reads settings there"
	startups  = "is run when a shell starts"
	runs      = "says what other programs run"
	keys      = "decides who may log in, and as whom"
	ours      = "belongs to the daemon"
	linked    = "has more than one name, and another one may be protected"
	processes = "leads through the directory of a process"
)

// directories are the names of directories that are listed anywhere, with
// everything below.
var directories = map[string]string{
	".claude": agents, "claude~1": agents, // the short name on Windows
	".git": gits, "git~1": gits,
	".husky": runs, ".githooks": runs, ".vscode": runs, ".idea": runs, ".zed": runs, ".devcontainer": runs, ".ssh": keys,
	".cursor": runs, ".gemini": runs, ".codex": runs, // hooks and servers of other agents
}

// files are the names of files that are listed anywhere.
var files = reasons(map[string]string{
	servers: ".mcp.json",
	gits: "applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase post-checkout post-merge " +
		"pre-push post-rewrite pre-auto-gc reference-transaction post-index-change fsmonitor-watchman sendemail-validate", // wherever core.hooksPath leads
	agents:   ".claude.json",
	startups: ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout .xprofile .xinitrc .xsession .xsessionrc .xonshrc .pam_environment",
	runs:     ".envrc .direnvrc .gitconfig .gitmodules .gitattributes_global .ripgreprc",
})

// atHome are listed below the user's home directory.
var atHome = reasons(map[string]string{
	startups: ".config/fish .config/zsh .config/bash .config/nushell .config/powershell .config/elvish .config/xonsh .config/environment.d .zsh .bash_completion .config/bash_completion",
	runs: ".config/autostart .config/systemd .config/git .config/direnv .config/mise .config/tmux .config/nvim .config/vim .config/i3 .config/sway .config/hypr .config/autostart-scripts .config/plasma-workspace " +
		".config/go .config/pip .config/containers .config/gh .local/lib .local/bin .local/share/systemd .local/share/applications .local/share/autostart bin library/launchagents .vimrc .vim .exrc .emacs .emacs.d .tmux.conf .screenrc .gdbinit .lldbinit .pythonrc .pythonrc.py .irbrc .pryrc .rprofile .npmrc .curlrc .wgetrc .forward .cargo/config .cargo/config.toml .m2/settings.xml .gradle/init.gradle .docker/config.json .kube/config",
	keys: ".gnupg .netrc .pgpass",
})

func reasons(names map[string]string) map[string]string {
	all := map[string]string{}
	for reason, list := range names {
		for name := range strings.FieldsSeq(list) {
			all[name] = reason
		}
	}
	return all
}

// fold converts a name into the form in which names are compared: names that some file system
// treats as equal become the same text.
func fold(name string) string {
	name = realpath.Fold(name)
	if trimmed := strings.TrimRight(name, ". "); trimmed != "" { // Windows ignores them
		name, _, _ = strings.Cut(trimmed, "::$")
	}
	return name
}

// foldPath folds each component of a path.
func foldPath(file string) string {
	parts := strings.Split(strings.ReplaceAll(file, `\`, "/"), "/")
	for n, p := range parts {
		if p != "." && p != ".." {
			parts[n] = fold(p)
		}
	}
	return strings.Join(parts, "/")
}
