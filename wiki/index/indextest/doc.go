// Package indextest writes wikis with the statistics of real ones, for tests and benchmarks.
//
// The same options give the same bytes. Sizes are log-normal (median 2.5 KB, mean 4 KB), names and links as counted over public wikis; the
// words are made up and follow Zipf's law, so that full-text indexes meet a real dictionary's shape.
package indextest
