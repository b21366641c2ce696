//go:build race

package main

// raced tells that the race detector is in this binary: it takes five to ten times the memory.
const raced = true
