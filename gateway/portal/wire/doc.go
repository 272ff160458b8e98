// Package wire is the language of the portal: the messages of its WebSockets as Go structs, and
// the one codec for them. It is pure.
//
// # Dialects
//
// Three generations of the portal are in use. They share a frame, a JSON object with its type,
// and differ in types and fields. A peer tells its generation by the keys of its Register
// ([Register.Dialect]). [Encode] writes for one generation: a type that the generation does not
// know is an error, and a field that it does not know is left out. Proxies of [G2] and [G3] end
// the connection over an unknown type, so this must not depend on the care of callers.
//
// # Fields
//
// The tag of a field has its name on the wire and options:
//
//	omit   left out if it is empty; otherwise an empty one is null, or [] for a list
//	opt    may be missing or null in a frame; others are required
//	g2 g3  the first generation that has it
//
// [Decode] reads all generations alike. It ignores unknown keys, and refuses frames with a key
// twice, without a type, or without a required field. Keys are compared exactly.
package wire
