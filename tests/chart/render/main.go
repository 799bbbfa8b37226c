// SPDX-License-Identifier: Apache-2.0

// render renders a Helm chart, for tests where there is no Helm (Debian has none).
//
// The same as Helm 3, because it is the same code: text/template, sprig's functions, and
// sigs.k8s.io/yaml, by which values become Go values and toYaml writes. Written anew from
// Helm's documented behaviour: include, tpl, required, fail, lookup, toYaml, fromYaml,
// fromYamlArray, toJson, fromJson, fromJsonArray; .Values (the chart's, then each
// --values, null removes), .Release, .Chart, .Capabilities, .Files, .Template; partials
// (_*), NOTES.txt, .helmignore, empty documents, hooks, kubeVersion, and the order in
// which kinds are written.
//
// Not here: subcharts, dependencies and library charts, the crds/ folder, plugins,
// post-renderers, --set, toToml, getHostByName (gives "", as `helm template` does), and
// values.schema.json, which the tests check with a JSON Schema library of their own.
// .Files.Glob knows no `**` and no {a,b}. lookup answers from --lookup, a file of
// objects, and with nothing without one, as `helm template` does.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

type list []string

func (l *list) String() string     { return strings.Join(*l, ",") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

func run() error {
	var options options
	var values, apis list
	name := flag.String("name", "fixpoint", "the release's `name`")
	namespace := flag.String("namespace", "default", "the release's `namespace`")
	kube := flag.String("kube-version", "v1.32.0", "the cluster's `version`")
	lookup := flag.String("lookup", "", "`file` of objects that the cluster holds")
	flag.BoolVar(&options.upgrade, "is-upgrade", false, "an upgrade, no install")
	flag.BoolVar(&options.strict, "strict", false, "a value that is missing is an error")
	notes := flag.Bool("notes", false, "write NOTES.txt, and nothing else")
	hooks := flag.Bool("hooks", true, "write hooks, behind everything else")
	flag.Var(&values, "values", "`file` of values; repeats")
	flag.Var(&apis, "api-versions", "an API `version` that the cluster has; repeats")
	flag.Parse()
	if flag.NArg() != 1 {
		return fmt.Errorf("usage: render [flags] CHART")
	}
	options.name, options.namespace, options.apis = *name, *namespace, apiVersions(apis)
	if err := options.setKubeVersion(*kube); err != nil {
		return err
	}
	if err := options.readObjects(*lookup); err != nil {
		return err
	}
	chart, err := loadChart(flag.Arg(0))
	if err != nil {
		return err
	}
	if err := chart.addValues(values); err != nil {
		return err
	}
	rendered, err := render(chart, &options)
	if err != nil {
		return err
	}
	if *notes {
		fmt.Print(rendered["fixpoint/templates/NOTES.txt"])
		return nil
	}
	return writeManifests(os.Stdout, rendered, *hooks)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}
