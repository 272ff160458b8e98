package main

// plan lists the targets of a probe. All paths are absolute.
type plan struct {
	Out     string         // gets the name of each way that led out, a line each
	Targets map[string]int // processes outside the fence, by their role
	Victim  int            // one of them, which writes down its signals
	Away    string         // a directory outside, with a file named "file"
	Inside  string         // a directory inside
	Fifo    string         // the input of another agent
}
