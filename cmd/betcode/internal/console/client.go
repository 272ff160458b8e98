package console

import "betcode/messages"

// Client returns the id of a client as people read it, on one line.
func Client(id string) string { return Line(messages.ClientID(id).Shown()) }

// ClientTo returns the id of a client on one line, as a person reads it at the client reader: you, or your other terminal.
func ClientTo(reader, id string) string {
	return Line(messages.ClientID(id).ShownTo(messages.ClientID(reader)))
}

// ClientBeside returns what ClientTo returns, so that it differs from that of another client.
func ClientBeside(reader, id, other string) string {
	return Line(messages.ClientID(id).ShownBeside(messages.ClientID(other), messages.ClientID(reader)))
}
