// SPDX-License-Identifier: Apache-2.0

package main

// The functions that Helm has beside sprig's, and .Files.

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

func toYAML(value interface{}) string {
	data, err := yaml.Marshal(value)
	if err != nil {
		return "" // Helm swallows it, too
	}
	return strings.TrimSuffix(string(data), "\n")
}

func fromYAML(text string) values {
	parsed := values{}
	if err := yaml.Unmarshal([]byte(text), &parsed); err != nil {
		return values{"Error": err.Error()}
	}
	return parsed
}

func fromYAMLArray(text string) []interface{} {
	parsed := []interface{}{}
	if err := yaml.Unmarshal([]byte(text), &parsed); err != nil {
		return []interface{}{err.Error()}
	}
	return parsed
}

func toJSON(value interface{}) string {
	data, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(data)
}

func required(message string, value interface{}) (interface{}, error) {
	if text, isText := value.(string); value == nil || (isText && text == "") {
		return value, fmt.Errorf("%s", message)
	}
	return value, nil
}

var own = template.FuncMap{
	"toYaml":        toYAML,
	"fromYaml":      fromYAML,
	"fromYamlArray": fromYAMLArray,
	"toJson":        toJSON,
	"fromJson":      fromYAML, // JSON is YAML
	"fromJsonArray": fromYAMLArray,
	"required":      required,
	"getHostByName": func(string) string { return "" },
}

func helmFunctions() template.FuncMap {
	functions := sprig.TxtFuncMap()
	delete(functions, "env") // what the machine is must not matter
	delete(functions, "expandenv")
	for name, function := range own {
		functions[name] = function
	}
	return functions
}

// files is .Files.
type files map[string][]byte

func (f files) GetBytes(name string) []byte { return f[name] }
func (f files) Get(name string) string      { return string(f[name]) }

func (f files) Glob(pattern string) files {
	found := files{}
	for name, data := range f {
		if matches, _ := path.Match(pattern, name); matches {
			found[name] = data
		}
	}
	return found
}

func (f files) AsConfig() string {
	texts := map[string]string{}
	for name, data := range f {
		texts[path.Base(name)] = string(data)
	}
	return toYAML(texts)
}

func (f files) AsSecrets() string {
	texts := map[string]string{}
	for name, data := range f {
		texts[path.Base(name)] = base64.StdEncoding.EncodeToString(data)
	}
	return toYAML(texts)
}

func (f files) Lines(name string) []string {
	return strings.Split(strings.TrimSuffix(string(f[name]), "\n"), "\n")
}
