package health

import (
	"fmt"
	"time"

	"betcode/actors/internal/disk"
	"betcode/messages"
)

// Disk reports the free space of the disk.
type Disk struct {
	Full  bool
	Space disk.Space
	Err   error // why the space is not known
}

// view returns the line of the disk. A full disk degrades the daemon and does not stop it.
func (d Disk) view(looked time.Time) messages.ComponentHealth {
	c := messages.ComponentHealth{Name: "disk", Serving: !d.Full && d.Err == nil, Checked: looked, Message: Size(d.Space.Free) + " free"}
	switch {
	case d.Err != nil:
		c.State, c.Message, c.Reason = "disk_unknown", d.Err.Error(), "The free space of the disk is unknown"
	case d.Full:
		c.State, c.Reason, c.Impact = "disk_full", "Disk is nearly full", "Agents are frozen and new turns refused until there is room"
	}
	return c
}

// Size formats a number of bytes for people.
func Size(bytes int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	value, unit := float64(bytes), 0
	for value >= 1024 && unit < len(units)-1 {
		value, unit = value/1024, unit+1
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", bytes)
	}
	return fmt.Sprintf("%.1f %s", value, units[unit])
}
