// Package rules decides tool calls by the rules a user has written down, in the
// agent's own notation: "Bash", "Bash(git *)", "Bash(npm run test:*)",
// "Edit(src/**/*.ts)", "Read(~/x/**)", "WebFetch(domain:example.com)",
// "mcp__github__*". It is the first half of the permission bridge of the daemon
// document; the other half, people, is the session's.
//
// # What is decided, and in which order
//
// [Set.Decide] looks at deny rules, then at ask rules, then at allow rules: the
// first list with a rule for the call decides. None of them is no decision, and
// the session looks at its grants and asks a person. A deny or ask rule concerns a
// call if it matches any part of it; an allow rule only if rules of its kind cover
// every part. Whatever cannot be understood leans away from "allow":
//
//	a shell command that cannot be parsed           no allow rule with an argument covers it
//	$x, $(…), `…`, bash -c, eval, FOO=1 cmd         the same
//	a redirection into a file                       the same
//	a rule for a tool whose arguments are unknown   as allow: nothing; as deny or ask: a person is asked
//
// Only a bare rule ("Bash") covers what cannot be understood, since it says so.
//
// # Shell commands
//
// A command is parsed by the real grammar and taken apart into simple commands,
// those of substitutions and functions too. A deny rule is also held against what
// stands behind sudo, env, xargs and their like, in the text of "bash -c" and
// "eval", behind a path ("/bin/rm") and behind braces ("{rm,-rf,/}"). This finds
// what is written down; a shell can always be made to run something else (a script,
// a variable), and that is what asking is for.
//
// # Paths
//
// Rules for files match as .gitignore does: "*.ts" at any depth, "src/**" from the
// session's directory, "~/x" from the home directory, "//etc" from the root. A path
// is held against a rule twice, as it is spelled and with symbolic links
// resolved, by [Resolve], which is the only function here that looks at a disk: a
// deny rule matches if either does, an allow rule only if both do. A link that is
// changed between the decision and the use is not noticed.
//
// Everything but Resolve is pure. A Set does not change and may be used by many.
package rules
