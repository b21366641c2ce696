// Package guard judges command lines of git and gh against what a task run was granted (design section 8).
//
// [Git] and [GitHub] are pure: they read argv, environment and working folder and say what is to be done, or why it is not. Options are
// read by the programs' own rules (git's parse-options, gh's pflag), never by globs: what the table of a subcommand does not name is
// denied, abbreviations of long options included. What goes to the host is rendered anew from what was understood, so no
// difference between our reading and the program's can be of use.
//
// Guarantees: a push is a push of the run's own branch to the run's own remote, without any form of force, deletion or further refs; gh
// reads the run's own repository by method and endpoint and, in a review, comments on one pull request: the one that is known at its start,
// else the one that it writes to first; no verdict depends on state outside the arguments.
//
// It starts nothing and reads no file by itself. It is the upper of two walls: an agent may have a git of its own. The lower one is that no credential
// and no network is inside the sandbox, so that only the host's broker (package task) can send anything; it judges by this package again.
package guard
