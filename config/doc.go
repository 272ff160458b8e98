// Package config says where things are and how they shall be: it turns flags,
// environment and defaults into one [Daemon] or [Client].
//
// A value is taken from the first of these that has one: a flag, an environment
// variable (BETCODE_…), the default. Nothing is created and nothing is cached
// here; the only file that is read is settings.json ([ReadPermissions], [ReadNotify], [ReadPast]).
//
// It imports nothing of ours, and only cmd imports it: every other package takes
// Options of its own, which cmd fills.
//
// # Paths
//
//	configuration   $BETCODE_CONFIG_DIR, else
//	                Linux    $XDG_CONFIG_HOME/betcode (~/.config/betcode)
//	                macOS    ~/Library/Application Support/betcode
//	                Windows  %USERPROFILE%\.betcode
//	state           $BETCODE_STATE_DIR, else
//	                Linux    $XDG_STATE_HOME/betcode (~/.local/state/betcode)
//	                macOS    ~/Library/Application Support/betcode/state
//	                Windows  %LOCALAPPDATA%\betcode
//	socket          $BETCODE_SOCKET, else
//	                Linux    $XDG_RUNTIME_DIR/betcode/daemon.sock,
//	                         /run/user/$UID/betcode/daemon.sock
//	                else     daemon.sock in the configuration directory
//
// An XDG variable that is not absolute is ignored, as the XDG specification wants
// it; any other relative path is taken from the working directory.
package config
