// Package permission has the commands of 'betcode permission': list, answer and explain requests, and test rules on past ones.
//
// A request is named by its id or the beginning of it. An answer that comes too late is a success if the same was decided.
package permission
