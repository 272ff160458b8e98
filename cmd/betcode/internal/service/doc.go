// Package service runs the daemon as a service of the user: a systemd user unit, or a launchd agent.
//
// [Plan] is pure: it says which file is written and which commands follow. [Definition.Install] and
// [Definition.Uninstall] carry it out. A file that people have changed is not replaced: a definition ends with the hash
// of what was written.
//
// Agents live on when the service is stopped, restarted or removed; the next daemon takes them over.
package service
