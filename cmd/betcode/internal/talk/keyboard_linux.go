package talk

import "golang.org/x/sys/unix"

// The requests that read and change the modes of a terminal.
const getTermios, setTermios = unix.TCGETS, unix.TCSETS
