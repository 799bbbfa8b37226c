// SPDX-License-Identifier: Apache-2.0

package main

// A chart's folder, as Helm's loader sees it.

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

type values = map[string]interface{}

// metadata is what templates see as .Chart.
type metadata struct {
	Name         string            `json:"name"`
	Home         string            `json:"home"`
	Sources      []string          `json:"sources"`
	Version      string            `json:"version"`
	Description  string            `json:"description"`
	Keywords     []string          `json:"keywords"`
	Maintainers  []values          `json:"maintainers"`
	Icon         string            `json:"icon"`
	APIVersion   string            `json:"apiVersion"`
	AppVersion   string            `json:"appVersion"`
	Deprecated   bool              `json:"deprecated"`
	Annotations  map[string]string `json:"annotations"`
	KubeVersion  string            `json:"kubeVersion"`
	Type         string            `json:"type"`
	Dependencies []values          `json:"dependencies"`
	IsRoot       bool              `json:"-"`
}

type chart struct {
	metadata  metadata
	values    values
	templates map[string]string // by "chart/templates/x.yaml"
	files     files             // everything that is none of the chart's own
}

// ignored tells whether a line of .helmignore names the file or a folder around it.
func ignored(patterns []string, name string) bool {
	for _, pattern := range patterns {
		for part := name; part != "."; part = path.Dir(part) {
			whole, _ := path.Match(strings.Trim(pattern, "/"), part)
			last, _ := path.Match(pattern, path.Base(part))
			if whole || last {
				return true
			}
		}
	}
	return false
}

func readIgnore(folder string) []string {
	text, _ := os.ReadFile(filepath.Join(folder, ".helmignore"))
	var patterns []string
	for _, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			patterns = append(patterns, line)
		}
	}
	return patterns
}

func (c *chart) add(name string, data []byte) error {
	switch {
	case name == "Chart.yaml":
		return yaml.UnmarshalStrict(data, &c.metadata)
	case name == "values.yaml":
		return yaml.Unmarshal(data, &c.values)
	case strings.HasPrefix(name, "templates/"):
		c.templates[name] = string(data)
	case name != "values.schema.json" && name != ".helmignore":
		c.files[name] = data
	}
	return nil
}

func loadChart(folder string) (*chart, error) {
	c := &chart{values: values{}, templates: map[string]string{}, files: files{}}
	patterns := readIgnore(folder)
	err := filepath.Walk(folder, func(file string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		name, _ := filepath.Rel(folder, file)
		if name = filepath.ToSlash(name); ignored(patterns, name) {
			return nil
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := c.add(name, data); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
	c.metadata.IsRoot = true
	if err == nil && (c.metadata.APIVersion != "v2" || c.metadata.Name == "") {
		err = fmt.Errorf("Chart.yaml: no chart of apiVersion v2 with a name")
	}
	return c, err
}

// merge lays `over` on `under`: maps into maps, null takes away.
func merge(under, over values) {
	for key, value := range over {
		below, isMap := under[key].(values)
		above, wantsMap := value.(values)
		switch {
		case value == nil:
			delete(under, key)
		case isMap && wantsMap:
			merge(below, above)
		default:
			under[key] = value
		}
	}
}

func (c *chart) addValues(names []string) error {
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		given := values{}
		if err := yaml.Unmarshal(data, &given); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		merge(c.values, given)
	}
	return nil
}
