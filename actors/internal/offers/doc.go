// Package offers reads which commands, skills and kinds of agents a configuration
// directory of Claude Code defines: commands/**/*.md, skills/*/SKILL.md and
// agents/**/*.md, with the name, description and argument-hint of their front matter.
//
// It serves completion before an agent has told what it can be asked for. It reads names
// and descriptions only, a bounded number of files, and none outside the directory.
package offers
