package act

import "fmt"

// ChildName returns the name of a child actor: "run/3". It is the last part of its address.
func ChildName(kind string, name any) string { return fmt.Sprintf("%s/%v", kind, name) }
