// Package setup has the commands that set up and check an installation: doctor, init, import and
// service.
package setup
