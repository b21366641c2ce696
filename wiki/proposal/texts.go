package proposal

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Sum is the hex sha256 of a text, its name in the store.
func Sum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// PutText keeps a text with the run and gives its sha256. An empty text is a text.
func (s *Store) PutText(run string, text []byte) (string, error) {
	sum := Sum(text)
	name := filepath.Join(s.Dir(run), "files", sum)
	// The size tells a whole file from one that a crash of the machine cut short.
	if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() && info.Size() == int64(len(text)) {
		return sum, nil
	}
	if err := replaceFile(name, text, noSync); err != nil {
		return "", fmt.Errorf("keep a text of run %s: %w", run, err)
	}
	return sum, nil
}

// Text gives a text of the run by its sha256. What was damaged on disk is an error, never another text.
func (s *Store) Text(run, sum string) ([]byte, error) {
	if len(sum) != hex.EncodedLen(sha256.Size) || filepath.Base(sum) != sum {
		return nil, fmt.Errorf("text %q of run %s: not a sha256", sum, run)
	}
	text, err := os.ReadFile(filepath.Join(s.Dir(run), "files", sum))
	if err != nil {
		return nil, fmt.Errorf("text of run %s: %w", run, err)
	}
	if Sum(text) != sum {
		return nil, fmt.Errorf("text %s of run %s is damaged", sum, run)
	}
	return text, nil
}

// text is Text, where "" stands for no text.
func (s *Store) text(run, sum string) ([]byte, error) {
	if sum == "" {
		return nil, nil
	}
	return s.Text(run, sum)
}

// hasText tells whether Text would find it.
func (s *Store) hasText(run, sum string) bool {
	_, err := s.text(run, sum)
	return sum != "" && err == nil
}

func noSync(*os.File) error { return nil }

// replaceFile puts data at name over a temporary file beside it (mode 0600), so that a reader sees the old or the new bytes. The last thing
// done with the temporary file before it gets its name is sync.
func replaceFile(name string, data []byte, sync func(*os.File) error) error {
	tmp := filepath.Join(filepath.Dir(name), ".tmp-"+rand.Text())
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = sync(f)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(tmp, name)
	}
	if err != nil {
		return errors.Join(err, removeIfThere(tmp))
	}
	return nil
}

func removeIfThere(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// isPrefix tells whether text is a beginning of whole: what a kill leaves of a file that was being written.
func isPrefix(text, whole []byte) bool { return bytes.HasPrefix(whole, text) }
