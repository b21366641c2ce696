package adapters

import (
	"fmt"
	"strings"
)

var (
	// databaseRE is what agents say when their own database does not let them in. Two that start on a new HOME, or after an update, set it up
	// at once: one finds it locked, or changed by the other between two of its own statements (opencode 1.18.33, which prints the statement and
	// often not the cause, or that there is no session where it could not store a new one: none of our runs names an old one).
	databaseRE = lazyRE(`(?i)database( table| schema)? is locked|database schema has changed|SQLITE_(BUSY|LOCKED|SCHEMA|PROTOCOL|IOERR|CANTOPEN)|locking protocol|disk I/O error|unable to open database` +
		`|Failed query:|Failed to execute statement|has no session table|Legacy migration timestamp|MigratorInitError|(table|index) \S+ already exists|duplicate column name|no such (table|column|index): |UNIQUE constraint failed|(?m)^Error: Session not found$`)
	// causeRE is the part of it that a person can make something of.
	causeRE = lazyRE(`(?i)database(?: table| schema)? is locked|database schema has changed|(?:table|index) [^\s"\\]+ already exists|duplicate column name: [^\s"\\]+|no such (?:table|column|index): [^\s"\\]+|UNIQUE constraint failed: [\w.]+|disk I/O error|unable to open database(?: file)?`)
	// storageRE is what no second try mends.
	storageRE = lazyRE(`(?i)database or disk is full|No space left|SQLITE_(FULL|CORRUPT|NOTADB|READONLY)|readonly database|disk image is malformed|file is not a database`)
)

// databaseFailure judges what an agent says of its own database, in a sentence instead of SQL; nil where it says nothing of one.
func databaseFailure(agent, words string) *Failure {
	if !databaseRE().MatchString(words) && !storageRE().MatchString(words) {
		return nil
	}
	if why := storageRE().FindString(words); why != "" {
		return &Failure{Kind: "config", Message: fmt.Sprintf("%s cannot use its database (%s)", agent, strings.ToLower(why)), Hint: "make room in HOME, or repair the files of " + agent + " there"}
	}
	message := "another session of " + agent + " was at its database"
	if cause := causeRE().FindString(words); cause != "" {
		message += " (" + strings.ReplaceAll(cause, "`", "") + ")"
	}
	return &Failure{Kind: "busy", Message: message, Hint: "run it again", Retryable: true}
}
