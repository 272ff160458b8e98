package session

// Fence says what the kernel holds an agent to. It is part of a run's record from its
// intent on, so it holds for that run whatever the settings become, and an adopted agent is
// known to be fenced.
type Fence string

// The fences.
const (
	FenceOff     Fence = "off"
	FenceProject Fence = "project" // it writes to its project, and signals nobody outside
)
