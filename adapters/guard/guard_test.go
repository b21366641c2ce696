package guard

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// words splits a line of a table as a shell would: blanks, and quotes of both kinds without escapes.
func words(line string) []string {
	var out []string
	var b strings.Builder
	open, quote := false, rune(0)
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, open = r, true
		case quote == 0 && (r == ' ' || r == '\n'):
			if open {
				out = append(out, b.String())
				b.Reset()
			}
			open = false
		default:
			b.WriteRune(r)
			open = true
		}
	}
	if open {
		out = append(out, b.String())
	}
	return out
}

// row is one line of a table.
type row struct {
	line    string
	intents []Intent
	want    string
	dir     string
	env     []string
	args    []string // without the program
	given   []string // what comes after "=>"
}

func rows(t *testing.T, name string) []row {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var out []row
	lines := strings.Split(string(b), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		if strings.Count(line, "'")%2 == 1 { // a quote over two lines
			i++
			line += "\n" + lines[i]
		}
		cmd, given, _ := strings.Cut(line, " => ")
		f := words(cmd)
		r := row{line: line, want: f[1], dir: "/co", intents: []Intent{Intent(f[0])}, given: words(given)}
		if f[0] == "*" {
			r.intents = anyIntent()
		}
		f = f[2:]
		if f[0] == "cd" {
			r.dir, f = strings.TrimSuffix(f[1], ";"), f[2:]
		}
		for strings.Contains(f[0], "=") {
			r.env, f = append(r.env, f[0]), f[1:]
		}
		r.args = f[1:]
		out = append(out, r)
	}
	return out
}

func grant(i Intent) Grant {
	g := Grant{Intent: i, Dir: "/co", Remote: "origin", Branch: "task/tea", Repo: "github.com/tea/pot"}
	if i == Review {
		g.PR = 7
	}
	return g
}

// links knows one symbolic link: /tmp/link leads to the checkout.
func links(p string) string {
	if p == "/tmp/link" {
		return "/co"
	}
	return p
}

func TestGit(t *testing.T) {
	for _, r := range rows(t, "git.txt") {
		for _, in := range r.intents {
			v := Git(grant(in), Call{Args: r.args, Env: r.env, Dir: r.dir, Real: links})
			got := string(v.Route)
			if v.Unpushed {
				got = "unpushed"
			}
			if got != r.want {
				t.Errorf("%s: %s: got %s (%s)", in, r.line, got, v.Why)
			}
			checkVerdict(t, r, v)
			if v.Route == Local && !slices.Contains(v.Env, "GIT_PAGER=cat") {
				t.Errorf("%s: the real git might start a pager", r.line)
			}
		}
	}
}

// checkVerdict: a refusal says something, and says what is allowed where that is not plain.
func checkVerdict(t *testing.T, r row, v Verdict) {
	t.Helper()
	if v.Route == Denied && (len(v.Why) < 20 || strings.ContainsAny(v.Why, "\n\x00")) {
		t.Errorf("%s: says %q", r.line, v.Why)
	}
	if v.Route == Local && len(v.Args) == 0 {
		t.Errorf("%s: nothing to run", r.line)
	}
}

func TestGitHub(t *testing.T) {
	read := Given(map[string][]byte{
		"body.md": []byte("text"), "mutation.gql": []byte("mutation { x }"),
		"query.gql": []byte("query { repository(owner: \"tea\", name: \"pot\") { id } }"),
	})
	for _, r := range rows(t, "gh.txt") {
		for _, in := range r.intents {
			v := GitHub(grant(in), r.args, read)
			if string(v.Route) != r.want {
				t.Errorf("%s: %s: got %s (%s) %q", in, r.line, v.Route, v.Why, v.Args)
			}
			checkVerdict(t, r, v)
			if len(r.given) > 0 && !slices.Equal(v.Args, r.given) {
				t.Errorf("%s: %s: gh is given\n%q, want\n%q", in, r.line, v.Args, r.given)
			}
		}
	}
	v := GitHub(grant(Review), []string{"pr", "comment", "7", "--body-file", "body.md"}, read)
	if string(v.Stdin) != "text" {
		t.Errorf("the comment is %q", v.Stdin)
	}
	g := grant(Review)
	g.PR = 7
	if v := GitHub(g, []string{"pr", "comment", "8", "-b", "x"}, read); v.Route != Denied {
		t.Errorf("a comment on another pull request: %v", v)
	}
	for _, other := range []string{"feature/x", "007", "+7", "https://github.com/tea/pot/pull/8"} {
		if v := GitHub(g, []string{"pr", "review", other, "--approve"}, read); v.Route != Denied {
			t.Errorf("a review of %s: %v", other, v)
		}
	}
	for _, own := range [][]string{nil, {"7"}, {"#7"}, {"task/tea"}, {"https://github.com/tea/pot/pull/7"}} {
		if v := GitHub(g, append([]string{"pr", "comment", "-b", "x"}, own...), read); v.Route != OnGitHub || v.Args[2] != "7" {
			t.Errorf("a comment on the run's pull request by %q: %v", own, v)
		}
	}
}

// Where the remote's address does not tell the repository, gh finds it; the method and the kind of endpoint are judged all the same.
func TestGitHubUnnamed(t *testing.T) {
	g := grant(ActPR)
	g.Repo = ""
	for line, want := range map[string]string{
		"pr view":                                   "pr view task/tea",
		"pr view 7 --comments":                      "pr view 7 --comments",
		"pr view 7 -R evil/repo":                    "",
		"pr view https://github.com/evil/x/pull/1":  "",
		"api repos/{owner}/{repo}/pulls/7/comments": "api repos/{owner}/{repo}/pulls/7/comments",
		"api repos/:owner/:repo/pulls":              "api repos/:owner/:repo/pulls",
		"api repos/a/b/pulls":                       "",
		"api repos/{owner}/b/pulls":                 "",
		"api repos/a/{repo}/pulls":                  "",
		"api repos/{owner}/{repo}":                  "api repos/{owner}/{repo}",
		"api repos/{owner}x/{repo}/pulls":           "",
		"api repos/{repo}/{owner}/pulls":            "",
		"api repos/{owner}/{repo}/{owner}":          "",
		"api repos/a/b/hooks":                       "",
		"api repos/a/{x}/pulls":                     "",
		"api user":                                  "",
		"api -X DELETE repos/{owner}/{repo}":        "",
		"api graphql -F owner={owner} -F name={repo} -f query='query($owner:String!,$name:String!){repository(owner:$owner,name:$name){id}}'": "api graphql --field owner={owner} --field name={repo} --raw-field 'query=query($owner:String!,$name:String!){repository(owner:$owner,name:$name){id}}'",
		"api graphql -f query='{viewer{login}}'":                                                                    "",
		"api graphql -f query='{repository(owner:\"a\",name:\"b\"){id}}'":                                           "",
		"api graphql -f o=a -f n=b -f query='query($o:String!,$n:String!){repository(owner:$o,name:$n){id}}'":       "",
		"api graphql -F o={owner} -f n=b -f query='query($o:String!,$n:String!){repository(owner:$o,name:$n){id}}'": "",
		"pr comment 7 -b x": "",
	} {
		v := GitHub(g, words(line), Given(nil))
		if v.Route == OnGitHub != (want != "") || want != "" && !slices.Equal(v.Args, words(want)) {
			t.Errorf("%s: %s %q (%s), want %q", line, v.Route, v.Args, v.Why, want)
		}
	}
}

func TestPullMerges(t *testing.T) {
	v := Git(grant(ActPR), Call{Args: words("pull -q --no-rebase --no-edit -X theirs -s ort origin main"), Dir: "/co"})
	if want := []string{"--no-edit", "-Xtheirs", "-sort"}; v.Route != Pull || !slices.Equal(v.Args, want) || !slices.Equal(v.Refs, []string{"main"}) {
		t.Errorf("%+v", v)
	}
}

// What the host itself gave an agent passes, whatever it is.
func TestEnvOfTheHost(t *testing.T) {
	g := grant(Work)
	g.Env = []string{"GIT_CONFIG_GLOBAL=/run/gitconfig"}
	if v := Git(g, Call{Args: []string{"status"}, Env: g.Env, Dir: "/co"}); v.Route != Local || !slices.Contains(v.Env, g.Env[0]) {
		t.Errorf("%+v", v)
	}
	if v := Git(g, Call{Args: []string{"status"}, Env: []string{"GIT_CONFIG_GLOBAL=/x"}, Dir: "/co"}); v.Route != Denied {
		t.Errorf("%+v", v)
	}
}

func FuzzGit(f *testing.F) {
	for _, s := range []string{"push origin HEAD", "push -u origin task/tea", "-C x -c color.ui=x push", "fetch origin main", "push origin +HEAD:main", "pull --no-rebase"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, " ")
		v := Git(grant(ActPR), Call{Args: args, Dir: "/co"})
		switch v.Route {
		case Push:
			for _, a := range args {
				if strings.HasPrefix(a, "+") || strings.HasPrefix(a, ":") || strings.Contains(a, "main") && !strings.HasPrefix(args[0], "-") || strings.HasPrefix(a, "--f") || strings.HasPrefix(a, "--d") || strings.HasPrefix(a, "--m") {
					t.Errorf("%q is a push", line)
				}
			}
			if v.Source != "HEAD" && v.Source != "task/tea" {
				t.Errorf("%q pushes %q", line, v.Source)
			}
		case Fetch, Pull:
			for _, r := range v.Refs {
				if !goodBranch(r) || strings.HasPrefix(r, "-") {
					t.Errorf("%q fetches %q", line, r)
				}
			}
		case Denied:
			if v.Why == "" {
				t.Errorf("%q is denied without a word", line)
			}
		}
		for _, in := range []Intent{Work, Review} {
			if v := Git(grant(in), Call{Args: args, Dir: "/co"}); v.Route == Push || v.Route == Fetch || v.Route == Pull {
				t.Errorf("%s: %q goes to the host", in, line)
			}
		}
	})
}

func FuzzGitHub(f *testing.F) {
	for _, r := range []string{"api repos/tea/pot/pulls -q .x --paginate", "pr view --json title -q .title #7", "api -X DELETE repos/tea/pot", "api graphql -f query={repository(owner:\"tea\",name:\"pot\"){id}}", "pr view -R tea/pot 7", "pr comment 7 -bx"} {
		f.Add(r)
	}
	f.Fuzz(func(t *testing.T, line string) {
		v := GitHub(grant(ActPR), strings.Split(line, " "), Given(nil))
		if v.Route != OnGitHub {
			return
		}
		if len(v.Args) == 1 && v.Args[0] == "--version" {
			return
		}
		if again := GitHub(grant(ActPR), v.Args, Given(nil)); again.Route != OnGitHub || !slices.Equal(again.Args, v.Args) {
			t.Errorf("%q gave %q, which is read as %s %q (%s)", line, v.Args, again.Route, again.Args, again.Why)
		}
		ours := slices.Contains(v.Args, "github.com/tea/pot")
		switch {
		case v.Args[0] == "pr" && ours && (v.Args[1] == "view" || v.Args[1] == "diff"):
		case v.Args[0] == "api" && v.Args[1] == "graphql":
		case v.Args[0] == "api" && (!slices.Contains(v.Args, "--method") || slices.Contains([]string{"GET", "HEAD"}, v.Args[3])):
			if end := v.Args[1]; !strings.HasPrefix(strings.ToLower(end), "repos/tea/pot") || strings.Contains(end, "..") && !strings.Contains(end, "?") && strings.Contains(end, "/../") {
				t.Errorf("%q reads %s", line, end)
			}
		default:
			t.Errorf("%q gave %q", line, v.Args)
		}
	})
}

func FuzzQuery(f *testing.F) {
	f.Add(`query($o:String!){repository(owner:$o,name:"pot"){pullRequest(number:7){title ...F}}} fragment F on PullRequest{body}`)
	f.Add(`mutation{deleteRef(input:{refId:"x"}){clientMutationId}}`)
	f.Fuzz(func(t *testing.T, q string) {
		if queryWhy(q, "tea", "pot", map[string]string{"o": "tea"}) != "" {
			return
		}
		depth := 0
		toks, ok := tokens(q)
		for i, tk := range toks {
			switch {
			case tk.text == "{":
				depth++
			case tk.text == "}":
				depth--
			case depth == 0 && tk.kind == 'n' && (tk.text == "mutation" || tk.text == "subscription") && (i == 0 || toks[i-1].text == "}"):
				t.Errorf("%q passes", q)
			}
		}
		if !ok || depth != 0 {
			t.Errorf("%q passes, and is no document", q)
		}
	})
}

// Where no pull request is known, a review writes to none by its number; gh may find the branch's own.
func TestReviewOfNoPullRequest(t *testing.T) {
	g := grant(Review)
	g.PR = 0
	for _, args := range [][]string{{"pr", "comment", "7", "-b", "x"}, {"pr", "review", "#7", "--approve"}, {"pr", "comment", "https://github.com/tea/pot/pull/7", "-b", "x"}} {
		if v := GitHub(g, args, Given(nil)); v.Route != OnGitHub || v.PR != 7 {
			t.Errorf("%q: %s %q, pull request %d (%s)", args, v.Route, v.Args, v.PR, v.Why)
		}
	}
	if v := GitHub(g, []string{"pr", "review", "main", "--approve"}, Given(nil)); v.Route != Denied {
		t.Errorf("another branch: %q", v.Args)
	}
	if v := GitHub(g, []string{"pr", "comment", "-b", "x"}, Given(nil)); v.Route != OnGitHub || v.Args[2] != "task/tea" {
		t.Errorf("of the branch: %s %q (%s)", v.Route, v.Args, v.Why)
	}
	g.Branch = ""
	if v := GitHub(g, []string{"pr", "comment", "-b", "x"}, Given(nil)); v.Route != Denied {
		t.Errorf("of nothing: %q", v.Args)
	}
}
