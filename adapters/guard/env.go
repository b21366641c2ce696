package guard

import (
	"slices"
	"strings"
)

// harmlessVars are variables of git that may be set. A value list is exhaustive; nil allows any.
func harmlessVars() map[string][]string {
	silent := []string{"", "cat", "true", ":", "/bin/true", "/usr/bin/true", "echo"}
	return map[string][]string{
		"GIT_AUTHOR_NAME": nil, "GIT_AUTHOR_EMAIL": nil, "GIT_AUTHOR_DATE": nil, "GIT_COMMITTER_NAME": nil, "GIT_COMMITTER_EMAIL": nil, "GIT_COMMITTER_DATE": nil,
		"GIT_TERMINAL_PROMPT": nil, "GIT_CEILING_DIRECTORIES": nil, "GIT_OPTIONAL_LOCKS": nil, "GIT_MERGE_AUTOEDIT": nil, "GIT_MERGE_VERBOSITY": nil, "GIT_FLUSH": nil,
		"GIT_LITERAL_PATHSPECS": nil, "GIT_GLOB_PATHSPECS": nil, "GIT_NOGLOB_PATHSPECS": nil, "GIT_ICASE_PATHSPECS": nil, "GIT_ADVICE": nil, "GIT_PROGRESS_DELAY": nil,
		"GIT_REFLOG_ACTION": nil, "GIT_DISCOVERY_ACROSS_FILESYSTEM": nil, "GIT_CONFIG_NOSYSTEM": nil, "GIT_ATTR_NOSYSTEM": nil, "GIT_NO_LAZY_FETCH": nil, "GIT_NO_REPLACE_OBJECTS": nil,
		"GIT_PAGER": silent, "GIT_EDITOR": silent, "GIT_SEQUENCE_EDITOR": silent, "GIT_ASKPASS": silent, "GIT_CONFIG_GLOBAL": {"/dev/null", ""}, "GIT_CONFIG_SYSTEM": {"/dev/null", ""},
		"GIT_CONFIG_COUNT": {"0"}, "GIT_DIFF_OPTS": nil, "GIT_TRACE": {"0", ""}, "GIT_SSH_VARIANT": nil,
	}
}

// gitEnv is the environment for the real git, or why this one may not be: a variable that names a program, a file or another repository
// would do what the arguments may not.
func gitEnv(g Grant, env []string) (clean []string, why string) {
	for _, kv := range env {
		k, v, _ := strings.Cut(kv, "=")
		switch {
		case k == "PAGER" || k == "GIT_PAGER" || k == "EDITOR" || k == "VISUAL" || k == "GIT_EDITOR" || k == "GIT_SEQUENCE_EDITOR":
			if strings.HasPrefix(k, "GIT_") && !slices.Contains(harmlessVars()[k], v) && !slices.Contains(g.Env, kv) {
				return nil, k + " is not allowed in the environment: git starts no other program in this run"
			}
		case !strings.HasPrefix(k, "GIT_"):
			clean = append(clean, kv)
		case slices.Contains(g.Env, kv):
			clean = append(clean, kv)
		default:
			values, known := harmlessVars()[k]
			if !known || values != nil && !slices.Contains(values, v) {
				return nil, k + " is not allowed in the environment of git in this run: unset it"
			}
			clean = append(clean, kv)
		}
	}
	// No editor and no pager is ever waited for: nobody is there to use them.
	return append(clean, "GIT_PAGER=cat", "PAGER=cat", "GIT_EDITOR=true", "GIT_SEQUENCE_EDITOR=true", "GIT_TERMINAL_PROMPT=0"), ""
}
