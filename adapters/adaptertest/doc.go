// Package adaptertest is the test kit for adapters: a scripted model server, fake agents, and one suite that every adapter passes.
//
// [Model] is an http.Handler that speaks the Anthropic Messages, OpenAI Responses and OpenAI Chat protocols well enough for real agents to
// do real work against it. It has no state but its log of requests: the script travels inside the prompt (see [Script]), so runs at once
// do not disturb each other. [Fake] writes small shell scripts that stand in for an agent. [Run] is the suite.
//
// It reaches nothing but loopback and needs neither key nor login. It is for tests: nothing of the product imports it.
package adaptertest
