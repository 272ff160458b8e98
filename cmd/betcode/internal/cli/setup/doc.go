// Package setup has the commands of the first minutes and of the care of an installation: doctor, init, import and service.
package setup
