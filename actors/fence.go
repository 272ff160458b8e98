package actors

// Fence says what the kernel holds an agent to.
type Fence string

// The fences.
const (
	FenceOff     Fence = "off"
	FenceProject Fence = "project" // it writes to its project, and signals nobody outside
)
