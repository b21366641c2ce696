package proposal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sourcesFile tells which runs were given which sources: a line "<sha256> <run>" each, in the order of the runs' starts. It only saves reading every record: runs in it may be
// gone, and where it is missing it is made from the records.
const sourcesFile = ".sources"

// OfSource gives the records of the runs that were given a source with that sha256, newest first. Its cost does not grow with the number of other runs.
func (s *Store) OfSource(sha string) ([]Record, error) {
	lines, err := s.sourceLines()
	if err != nil {
		return nil, err
	}
	var recs []Record
	for rest := lines; ; {
		i := bytes.LastIndex(rest, []byte(sha+" "))
		if i < 0 || sha == "" {
			return recs, nil
		}
		run, _, _ := strings.Cut(string(rest[i+len(sha)+1:]), "\n")
		rest = rest[:i]
		rec, err := s.Load(run)
		if err == nil && slices.Contains(rec.SourceSHA, sha) && !slices.ContainsFunc(recs, func(r Record) bool { return r.Run == run }) {
			recs = append(recs, rec)
		}
	}
}

// sourceLines reads the file, or makes it.
func (s *Store) sourceLines() ([]byte, error) {
	file := filepath.Join(s.dir, sourcesFile)
	lines, err := os.ReadFile(file)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return lines, err
	}
	unlock, err := s.lock() // a run that starts meanwhile adds its line after us
	if err != nil {
		return nil, err
	}
	defer unlock()
	recs, _, err := s.List()
	if err != nil {
		return nil, err
	}
	for _, rec := range slices.Backward(recs) {
		lines = append(lines, sourceLinesOf(rec)...)
	}
	return lines, replaceFile(file, lines, noSync)
}

func sourceLinesOf(rec Record) (lines []byte) {
	for _, sha := range rec.SourceSHA {
		lines = fmt.Appendf(lines, "%s %s\n", sha, rec.Run)
	}
	return lines
}

// noteSources adds a run that starts, where the file is there.
func (s *Store) noteSources(rec Record) error {
	lines := sourceLinesOf(rec)
	if len(lines) == 0 {
		return nil
	}
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	f, err := os.OpenFile(filepath.Join(s.dir, sourcesFile), os.O_WRONLY|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("note the sources of %s: %w", rec.Run, err)
	}
	_, err = f.Write(lines)
	return errors.Join(err, f.Close())
}

// forgetSources has the file made anew when it is asked for next. Its caller holds the lock.
func (s *Store) forgetSources() error { return removeIfThere(filepath.Join(s.dir, sourcesFile)) }
