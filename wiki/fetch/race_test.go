//go:build race

package fetch

// raced tells that the race detector is on: what takes seconds takes minutes then.
const raced = true
