package local

import "strings"

// pipes is where named pipes are.
const pipes = `\\.\pipe\`

// IsPipe reports whether an address is that of a named pipe of this machine.
func IsPipe(address string) bool {
	return len(address) > len(pipes) && strings.EqualFold(address[:len(pipes)], pipes)
}

// Descriptor is a security descriptor, in SDDL, for a pipe of the user with a SID: he
// owns it and may do everything, nothing is inherited, users that are logged on over the network
// may do nothing, and nobody else is named.
func Descriptor(sid string) string {
	return "O:" + sid + "D:P(D;;GA;;;NU)(A;;GA;;;" + sid + ")"
}
