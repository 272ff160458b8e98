package console

import "betcode/messages"

// Client returns the id of a client as people read it, on one line.
func Client(id string) string { return Line(messages.ClientID(id).Shown()) }
