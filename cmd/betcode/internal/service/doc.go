// Package service runs the daemon as a service of the user: a systemd user unit, or a launchd agent.
//
// [Plan] is pure: it returns the file to write and the commands that follow. [Definition.Install] and
// [Definition.Uninstall] carry it out. A file that people have changed is not replaced: a definition ends with the hash
// of its original text.
//
// Agents go on when the service is stopped, restarted or removed; the next daemon adopts them.
package service
