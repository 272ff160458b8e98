package local

import "strings"

// pipes is the prefix of named pipes of this machine.
const pipes = `\\.\pipe\`

// IsPipe reports whether an address is that of a named pipe of this machine.
func IsPipe(address string) bool {
	return len(address) > len(pipes) && strings.EqualFold(address[:len(pipes)], pipes)
}

// Descriptor returns the security descriptor, in SDDL, of a pipe of the user with a SID.
// That user owns it and has all rights. It inherits nothing, denies users that are logged
// on over the network, and names no other user.
func Descriptor(sid string) string {
	return "O:" + sid + "D:P(D;;GA;;;NU)(A;;GA;;;" + sid + ")"
}
