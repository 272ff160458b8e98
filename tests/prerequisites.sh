#!/bin/sh
# Says which programs the build and the tests need and this machine lacks, and how to install them.
missing=0

lack() { # program, what for, Debian, macOS
	missing=1
	printf '%s is missing: %s\n' "$1" "$2"
	case $(uname -s) in
	Darwin) printf '    on macOS: %s\n' "$4" ;;
	Linux) printf '    on Debian: %s\n' "$3" ;;
	*) printf '    on Debian: %s\n    on macOS: %s\n' "$3" "$4" ;;
	esac
}

has() { command -v "$1" >/dev/null 2>&1; }

wanted=$(sed -n 's/^go \([0-9]*\.[0-9]*\).*/\1/p' "$(dirname "$0")/../go.mod")
if ! has go; then
	lack go "it compiles everything" "download Go $wanted from https://go.dev/dl (Debian's own may be too old)" "brew install go"
else
	# In the directory of go.mod, go fetches the version that file asks for, unless it is told not to.
	found=$(cd "$(dirname "$0")/.." && go env GOVERSION 2>/dev/null | sed -n 's/^go\([0-9]*\.[0-9]*\).*/\1/p')
	if ! printf '%s %s\n' "$found" "$wanted" |
		awk '{ split($1, f, "."); split($2, w, "."); exit !(f[1] > w[1] || (f[1] == w[1] && f[2]+0 >= w[2]+0)) }'; then
		lack "go $wanted" "this is go $found" "download it from https://go.dev/dl" "brew upgrade go"
	fi
fi
if ! has gcc && ! has clang; then
	lack gcc "the race detector needs a C compiler" "sudo apt-get install gcc libc6-dev" "xcode-select --install"
fi
has git || lack git "worktrees and versions come from it" "sudo apt-get install git" "xcode-select --install"
has make || lack make "it runs the targets" "sudo apt-get install make" "xcode-select --install"
has npm || lack npm "it fetches the Claude Code the tests run against" "sudo apt-get install npm" "brew install node"

if [ "$missing" -ne 0 ]; then
	echo "then try again"
	exit 1
fi
echo "prerequisites: all here"
