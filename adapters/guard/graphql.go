package guard

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// queryFields are the fields that a GraphQL query may ask for, at any depth: those of pull requests, their reviews, comments, checks and commits. What leads
// from there to other repositories and accounts (owner, viewer, organization, search, node …) is not among them.
func queryFields() []string {
	return strings.Fields(`repository pullRequest pullRequests issue nodes edges node pageInfo hasNextPage hasPreviousPage endCursor startCursor cursor totalCount
		id databaseId fullDatabaseId number title body bodyText bodyHTML url permalink state createdAt updatedAt publishedAt submittedAt closedAt mergedAt lastEditedAt __typename
		author login name resourcePath isDraft merged mergeable mergeStateStatus reviewDecision closed locked
		baseRefName headRefName baseRefOid headRefOid baseRef headRef target oid abbreviatedOid committedDate authoredDate message messageHeadline messageBody
		reviewThreads reviews latestReviews latestOpinionatedReviews comments comment reviewRequests requestedReviewer threads thread commits commit lastCommit
		isResolved isOutdated isCollapsed resolvedBy viewerCanReply viewerCanResolve isMinimized minimizedReason replyTo pullRequestReview outdated
		path line startLine originalLine originalStartLine position originalPosition diffHunk diffSide startDiffSide subjectType side
		files additions deletions changedFiles changeType viewerViewedState labels color description milestone assignees
		statusCheckRollup contexts context checkSuites checkSuite checkRuns conclusion status detailsUrl targetUrl summary text startedAt completedAt annotations
		timelineItems reactionGroups reactions content users defaultBranchRef rateLimit cost remaining resetAt limit used`)
}

// token is one lexical token of GraphQL (October 2021, section 2.1): a name, a punctuator, or a literal.
type token struct {
	kind byte // 'n' name, 'p' punctuator, 's' string, 'v' number
	text string
}

// tokens reads a GraphQL document; false where it is none.
func tokens(s string) ([]token, bool) {
	if !utf8.ValidString(s) {
		return nil, false
	}
	var out []token
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case strings.IndexByte(" \t\r\n,", c) >= 0:
			i++
		case strings.HasPrefix(s[i:], "\ufeff"):
			i += 3
		case c == '#':
			for i < len(s) && s[i] != '\n' && s[i] != '\r' {
				i++
			}
		case strings.HasPrefix(s[i:], "..."):
			out = append(out, token{'p', "..."})
			i += 3
		case strings.IndexByte("!$&()=:@[]{}|", c) >= 0:
			out = append(out, token{'p', string(c)})
			i++
		case strings.HasPrefix(s[i:], `"""`):
			return nil, false // block strings have no place in a query for a review
		case c == '"':
			end := i + 1
			for end < len(s) && s[end] != '"' && s[end] != '\n' {
				if s[end] == '\\' {
					return nil, false // nor have escapes
				}
				end++
			}
			if end >= len(s) || s[end] != '"' {
				return nil, false
			}
			out = append(out, token{'s', s[i+1 : end]})
			i = end + 1
		case c == '-' || c >= '0' && c <= '9':
			end := i + 1
			for end < len(s) && (s[end] >= '0' && s[end] <= '9' || strings.IndexByte(".eE+-", s[end]) >= 0) {
				end++
			}
			out = append(out, token{'v', s[i:end]})
			i = end
		case nameStart(c):
			end := i + 1
			for end < len(s) && (nameStart(s[end]) || s[end] >= '0' && s[end] <= '9') {
				end++
			}
			out = append(out, token{'n', s[i:end]})
			i = end
		default:
			return nil, false
		}
	}
	return out, true
}

func nameStart(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// queryWhy tells why a GraphQL document may not be sent, or "".
func queryWhy(query, owner, name string, vars map[string]string) string {
	toks, ok := tokens(query)
	if !ok || len(toks) == 0 {
		return "the query cannot be read"
	}
	if owner == "" { // not known: gh fills its own placeholders in, from the user's checkout
		owner, name = "{owner}", "{repo}"
	}
	q := &queryReader{toks: toks, owner: owner, name: name, vars: vars}
	for q.why == "" && q.at < len(q.toks) {
		q.definition()
	}
	return q.why
}

// queryReader walks over a document once; the first thing that may not be stops it.
type queryReader struct {
	toks        []token
	at          int
	why         string
	owner, name string
	vars        map[string]string
}

func (q *queryReader) peek() token {
	if q.at < len(q.toks) {
		return q.toks[q.at]
	}
	return token{}
}

func (q *queryReader) next() token { t := q.peek(); q.at++; return t }

func (q *queryReader) is(text string) bool { return q.peek().kind == 'p' && q.peek().text == text }

func (q *queryReader) stop(why string) {
	if q.why == "" {
		q.why = why
	}
}

// definition reads one operation or fragment.
func (q *queryReader) definition() {
	t := q.peek()
	root, depth := true, 0
	switch {
	case q.is("{"):
	case t.kind == 'n' && t.text == "query":
		q.next()
		if q.peek().kind == 'n' {
			q.next()
		}
		if q.is("(") {
			q.skipParens()
		}
	case t.kind == 'n' && t.text == "fragment":
		root, depth = false, inFragment
		for range 4 { // fragment NAME on TYPE
			if q.next().kind != 'n' {
				q.stop("the query cannot be read")
				return
			}
		}
	case t.kind == 'n':
		q.stop(shown(t.text) + " is not a query: it changes something")
		return
	}
	if !q.is("{") {
		q.stop("the query cannot be read")
		return
	}
	q.selection(root, depth)
}

// inFragment is the depth at which a fragment's fields count: where it will be spread is not known, and it may be below a person.
const inFragment = 2

// selection reads "{ … }". At the root only the run's repository is there to be asked for.
func (q *queryReader) selection(root bool, depth int) {
	q.next()
	if depth > 30 {
		q.stop("the query is nested too deeply")
	}
	for q.why == "" && !q.is("}") {
		if q.at >= len(q.toks) {
			q.stop("the query cannot be read")
			return
		}
		if q.is("...") {
			q.spread(root, depth)
			continue
		}
		field := q.next()
		if q.is(":") {
			q.next()
			field = q.next()
		}
		if field.kind != 'n' {
			q.stop("the query cannot be read")
			return
		}
		q.field(field.text, root, depth)
	}
	q.next()
}

// spread reads "...name", "... on Type {}" and "... {}".
func (q *queryReader) spread(root bool, depth int) {
	q.next()
	if root {
		q.stop("a query begins with repository(owner:, name:)")
		return
	}
	on := q.peek().text == "on"
	if q.peek().kind == 'n' {
		q.next()
	}
	if on && q.peek().kind == 'n' {
		q.next()
	}
	if q.is("{") {
		q.selection(false, depth+1)
	}
}

func (q *queryReader) field(name string, root bool, depth int) {
	if !slices.Contains(queryFields(), name) {
		q.stop("the field " + shown(name) + " is not about pull requests")
		return
	}
	start := q.at
	if q.is("(") {
		q.skipParens()
	}
	switch {
	case root && name == "repository":
		if !q.ours(q.toks[start:min(q.at, len(q.toks))]) {
			q.stop("the repository must be this run's: repository(owner: \"" + q.owner + "\", name: \"" + q.name + "\")")
		}
	case root && name != "rateLimit" && name != "__typename":
		q.stop("a query begins with repository(owner:, name:)")
	case !root && name == "repository":
		q.stop("repository stands at the start of a query only")
	case name == "pullRequests" && depth != 1:
		q.stop("pullRequests stands right below repository only: a person's or a label's lead elsewhere")
	}
	if q.is("@") {
		q.stop("directives have no place in it")
	}
	if q.is("{") && q.why == "" {
		q.selection(false, depth+1)
	}
}

// ours tells whether the arguments "(owner: X name: Y)" mean the run's repository.
func (q *queryReader) ours(args []token) bool {
	seen := map[string]string{}
	for i := 1; i+2 < len(args); i++ {
		if args[i].kind != 'n' || args[i+1].text != ":" {
			return false
		}
		key := args[i].text
		if _, twice := seen[key]; twice {
			return false
		}
		switch v := args[i+2]; {
		case v.kind == 's':
			seen[key] = v.text
			i += 2
		case v.text == "$" && i+3 < len(args) && args[i+3].kind == 'n':
			seen[key] = q.vars[args[i+3].text]
			i += 3
		case key == "followRenames" && v.kind == 'n':
			seen[key] = v.text
			i += 2
		default:
			return false
		}
	}
	return strings.EqualFold(seen["owner"], q.owner) && strings.EqualFold(seen["name"], q.name)
}

// skipParens passes over "( … )".
func (q *queryReader) skipParens() {
	depth := 0
	for q.at < len(q.toks) {
		switch t := q.next(); {
		case t.kind == 'p' && t.text == "(":
			depth++
		case t.kind == 'p' && t.text == ")":
			if depth--; depth == 0 {
				return
			}
		}
	}
	q.stop("the query cannot be read")
}
