// Package inside is the git and the gh that an agent finds in a task run: our own binary under their names.
//
// [Main] judges the command line (package guard). What is local goes to the real git, with the options and variables that may be; a push, a fetch, a
// pull and every gh command are asked of the host's broker over loopback TCP (see task.Broker). For a push it makes a bundle of the run's branch here,
// where the agent's repository is; for a fetch it takes a bundle in.
//
// It holds no secret but the address of the broker, which judges again, and enforces nothing: an agent may start another git. What enforces is that no
// credential and no network is inside.
package inside
