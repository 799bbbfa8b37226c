// SPDX-License-Identifier: Apache-2.0

package main

// Templates to text.

import (
	"errors"
	"fmt"
	"os"
	"path"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/semver"
	"sigs.k8s.io/yaml"
)

type kubeVersion struct{ Version, Major, Minor string }

func (v kubeVersion) String() string     { return v.Version }
func (v kubeVersion) GitVersion() string { return v.Version }

type apiVersions []string

func (a apiVersions) Has(version string) bool {
	for _, one := range a {
		if one == version {
			return true
		}
	}
	return false
}

type options struct {
	name, namespace string
	upgrade, strict bool
	kube            kubeVersion
	apis            apiVersions
	objects         []values
}

func (o *options) setKubeVersion(text string) error {
	version, err := semver.NewVersion(text)
	if err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	o.kube = kubeVersion{"v" + version.String(), fmt.Sprint(version.Major()),
		fmt.Sprint(version.Minor())}
	return nil
}

func (o *options) readObjects(name string) error {
	if name == "" {
		return nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return yaml.Unmarshal(data, &o.objects)
}

func checkKubeVersion(c *chart, o *options) error {
	if c.metadata.KubeVersion == "" {
		return nil
	}
	wanted, err := semver.NewConstraint(c.metadata.KubeVersion)
	if err != nil {
		return fmt.Errorf("kubeVersion: %w", err)
	}
	version, err := semver.NewVersion(o.kube.Version)
	if err != nil {
		return err
	}
	if !wanted.Check(version) {
		return fmt.Errorf("chart requires kubeVersion: %s which is incompatible with "+
			"Kubernetes %s", c.metadata.KubeVersion, o.kube.Version)
	}
	return nil
}

// top is what `.` is in a template of the chart.
func top(c *chart, o *options) values {
	return values{
		"Chart":  c.metadata,
		"Files":  c.files,
		"Values": c.values,
		"Release": values{
			"Name": o.name, "Namespace": o.namespace, "Revision": 1, "Service": "Helm",
			"IsInstall": !o.upgrade, "IsUpgrade": o.upgrade,
		},
		"Capabilities": values{
			"KubeVersion": o.kube,
			"APIVersions": o.apis,
			"HelmVersion": values{"Version": "v3.0.0", "GoVersion": "go1.19"},
		},
		"Subcharts": values{},
	}
}

// lookup is that of templates; an error is never one of the API server here.
func (o *options) lookup(version, kind, namespace, name string) (values, error) {
	items := []interface{}{}
	for _, object := range o.objects {
		metadata, _ := object["metadata"].(values)
		in, _ := metadata["namespace"].(string)
		if object["apiVersion"] != version || object["kind"] != kind ||
			(namespace != "" && in != namespace) {
			continue
		}
		if name != "" && metadata["name"] == name {
			return object, nil
		}
		items = append(items, object)
	}
	if name != "" {
		return values{}, nil
	}
	return values{"items": items}, nil
}

const noValue = "<no value>"

const maxDepth = 1000 // of templates that include each other

func addRecursive(t *template.Template, functions template.FuncMap, depth map[string]int) {
	functions["include"] = func(name string, data interface{}) (string, error) {
		if depth[name] > maxDepth {
			return "", fmt.Errorf("rendering template has a nested reference name: %s", name)
		}
		depth[name]++
		defer func() { depth[name]-- }()
		var text strings.Builder
		err := t.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	functions["tpl"] = func(text string, data interface{}) (string, error) {
		clone, err := t.Clone()
		if err != nil {
			return "", err
		}
		inner := template.FuncMap{}
		addRecursive(clone, inner, depth)
		parsed, err := clone.New("tpl").Funcs(inner).Parse(text)
		if err != nil {
			return "", err
		}
		var out strings.Builder
		err = parsed.Execute(&out, data)
		return strings.ReplaceAll(out.String(), noValue, ""), err
	}
}

func parse(c *chart, o *options) (*template.Template, error) {
	missing := "missingkey=zero"
	if o.strict {
		missing = "missingkey=error"
	}
	t := template.New("gotpl").Option(missing)
	functions := helmFunctions()
	functions["lookup"] = o.lookup
	functions["fail"] = func(text string) (string, error) { return "", errors.New(text) }
	addRecursive(t, functions, map[string]int{})
	t.Funcs(functions)
	for name, text := range c.templates {
		if _, err := t.New(c.metadata.Name + "/" + name).Parse(text); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// render gives the text of each template that is no partial, by its name.
func render(c *chart, o *options) (map[string]string, error) {
	if err := checkKubeVersion(c, o); err != nil {
		return nil, err
	}
	t, err := parse(c, o)
	if err != nil {
		return nil, err
	}
	var names []string
	for name := range c.templates {
		names = append(names, name)
	}
	sort.Strings(names)
	rendered := map[string]string{}
	for _, short := range names {
		if strings.HasPrefix(path.Base(short), "_") {
			continue
		}
		name := c.metadata.Name + "/" + short
		data := top(c, o)
		data["Template"] = values{"Name": name, "BasePath": c.metadata.Name + "/templates"}
		var text strings.Builder
		if err := t.ExecuteTemplate(&text, name, data); err != nil {
			return nil, err
		}
		rendered[name] = strings.ReplaceAll(text.String(), noValue, "")
	}
	return rendered, nil
}
