// Package wire defines the protocol of the portal: the messages of its WebSockets as Go structs,
// and their codec. It is pure.
//
// # Dialects
//
// Three generations of the portal are in use. They share the form of a frame, a JSON object with
// its type, and differ in types and fields. The keys of a Register show the generation of a peer
// ([Register.Dialect]). [Encode] encodes for one generation: an unknown type is an error, and
// unknown fields are omitted. Proxies of [G2] and [G3] end the connection on an unknown type, so
// [Encode] enforces this.
//
// # Fields
//
// The tag of a field has its name on the wire and options:
//
//	omit   omitted if it is empty; otherwise an empty one is null, or [] for a list
//	opt    may be missing or null in a frame; others are required
//	g2 g3  the first generation that has it
//
// [Decode] decodes all generations in the same way. It ignores unknown keys, and refuses frames
// with a duplicate key, without a type, or without a required field. Keys are case-sensitive.
package wire
