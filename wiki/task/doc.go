// Package task lends an agent a checkout of the user's repository and takes back nothing but commits.
//
// [Open] finds a repository, [Repo.Fetch] brings its main branch up to date, [Repo.Checkout] makes a clone that borrows the repository's objects: an
// agent works in it (below a layer of package sandbox). What it committed leaves the sandbox as a git bundle, which is data. [Checkout.Verify] reads it
// in a quarantine of its own and judges it by named rules; [Verified.Import] moves the one branch forward in the user's repository.
//
// Guarantees: no git of the host runs over a tree or a configuration that an agent could write; a rejected bundle leaves nothing in the repository;
// a branch only moves forward, and only the one that the run was about; what an accepted commit holds cannot reach out of the tree when it is checked
// out (no .git in any spelling, no submodule, no link that leads outside); hooks, file system monitors and command transports of the repository's
// configuration do not run, those of a push included: what pre-push would check is checked by the user's own push or by the server, and contents in the
// place of Git LFS pointers are not pushed.
//
// It does not start agents, push, or call GitHub; it keeps nothing but what git keeps. Files of Git LFS stay pointers in the clone, and submodules are
// not filled in.
package task
