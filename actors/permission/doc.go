// Package permission is the actor of one undecided request of an agent: its deadline, its reminders, and the first answer.
//
// # What is promised in which order
//
// The first answer decides; the deadline decides if no answer came before it by the wall clock. The decision is sent to the
// session first and every later answer behind it, so that the session can answer the later callers with the first decision.
// Several questions of one request are decided together, when the last of them is answered. A request has at most one reminder
// per configured age; ages that passed while no daemon ran are one reminder.
//
// # Who owns what
//
// The actor owns the deadline and the timer. The session owns the record: it journals the decision, replies to the caller
// when that is durable, and sends [Changed] when it changes the record itself.
//
// [Actors] has the actors of one session by request. The session's actor starts, stops and replaces them with it.
//
// # On a crash
//
// The request is a record in the journal, with its deadline, and the session starts this actor from it. If only the actor
// crashes, it begins with the record of its start, and the session sends the newest one. Answers to some of several questions
// are lost then; the client sees that the request is still undecided.
package permission
