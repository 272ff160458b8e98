// Package offers reads which commands, skills and kinds of agents a configuration
// directory of Claude Code defines: commands/**/*.md, skills/*/SKILL.md and
// agents/**/*.md, with the name, description and argument-hint of their front matter.
//
// It serves completion until an agent has reported its abilities. It reads names
// and descriptions only, a bounded number of files, and none outside the directory.
package offers
