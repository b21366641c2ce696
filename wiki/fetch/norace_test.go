//go:build !race

package fetch

const raced = false
