// Package packaging has the files with which systems run betcode as a service, as 'betcode service install' writes them.
// The files name the program at its usual place.
package packaging

import _ "embed"

// SystemdUnit is the unit of a systemd user service.
//
//go:embed systemd/betcode.service
var SystemdUnit string

// LaunchdAgent is the property list of a launchd agent of a user.
//
//go:embed launchd/betcode.plist
var LaunchdAgent string

// Program is the path of the program in [SystemdUnit] and [LaunchdAgent].
const Program = "%h/.local/bin/betcode"
