package wiki

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// trustList is $RIG_HOME/trust.json: folders whose own executables and prompts the user trusts (design, section 8), links resolved.
type trustList struct {
	Folders []string `json:"folders"`
}

// Trusted tells whether dir is, or lies below, a folder that the user trusted. A list that cannot be read trusts nothing.
func Trusted(rigHome, dir string) bool {
	list, err := readTrust(rigHome)
	if err != nil {
		return false
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	real := resolve(abs)
	return slices.ContainsFunc(list.Folders, func(f string) bool { return filepath.IsAbs(f) && within(real, f) })
}

// Trust adds dir to the trusted folders. A folder that is or holds the home folder is refused: that would trust everything.
func Trust(rigHome, dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return fmt.Errorf("trust %s: %w", dir, err)
	}
	if holdsHome(real) {
		return fmt.Errorf("trust %s: it holds the home folder", dir)
	}
	list, err := readTrust(rigHome)
	if err != nil {
		return err
	}
	if slices.Contains(list.Folders, real) {
		return nil
	}
	list.Folders = append(list.Folders, real)
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(rigHome, "trust.json"), append(text, '\n'))
}

func readTrust(rigHome string) (trustList, error) {
	var list trustList
	file := filepath.Join(rigHome, "trust.json")
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return list, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		return list, &ConfigError{File: file, Msg: err.Error()}
	}
	return list, nil
}
