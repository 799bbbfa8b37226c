// SPDX-License-Identifier: Apache-2.0

package main

// Rendered texts to manifests, in the order in which Helm installs them.

import (
	"fmt"
	"io"
	"path"
	"regexp"
	"sort"
	"strings"

	"sigs.k8s.io/yaml"
)

// Kinds that are not here come last, by their name.
var installOrder = strings.Fields(`PriorityClass Namespace NetworkPolicy ResourceQuota
	LimitRange PodSecurityPolicy PodDisruptionBudget ServiceAccount Secret SecretList
	ConfigMap StorageClass PersistentVolume PersistentVolumeClaim CustomResourceDefinition
	ClusterRole ClusterRoleList ClusterRoleBinding ClusterRoleBindingList Role RoleList
	RoleBinding RoleBindingList Service DaemonSet Pod ReplicationController ReplicaSet
	Deployment HorizontalPodAutoscaler StatefulSet Job CronJob IngressClass Ingress
	APIService MutatingWebhookConfiguration ValidatingWebhookConfiguration`)

type manifest struct {
	source, text, kind string
	isHook             bool
}

var separator = regexp.MustCompile(`(?:^|\s*\n)---\s*`)

func rank(kind string) int {
	for i, one := range installOrder {
		if one == kind {
			return i
		}
	}
	return len(installOrder)
}

func readManifest(source, text string) (manifest, error) {
	var head struct {
		Version  string `json:"apiVersion"`
		Kind     string `json:"kind"`
		Metadata struct {
			Annotations map[string]string `json:"annotations"`
		} `json:"metadata"`
	}
	if err := yaml.Unmarshal([]byte(text), &head); err != nil {
		return manifest{}, fmt.Errorf("YAML parse error on %s: %w", source, err)
	}
	_, isHook := head.Metadata.Annotations["helm.sh/hook"]
	return manifest{source, text, head.Kind, isHook}, nil
}

// split gives the documents of all texts that are manifests and have something in them.
func split(rendered map[string]string) ([]manifest, error) {
	var names []string
	for name := range rendered {
		names = append(names, name)
	}
	sort.Strings(names)
	var all []manifest
	for _, name := range names {
		if path.Base(name) == "NOTES.txt" {
			continue
		}
		for _, text := range separator.Split(rendered[name], -1) {
			if text = strings.TrimSpace(text); text == "" {
				continue
			}
			one, err := readManifest(name, text)
			if err != nil {
				return nil, err
			}
			if one.kind != "" {
				all = append(all, one)
			}
		}
	}
	return all, nil
}

func writeManifests(out io.Writer, rendered map[string]string, hooks bool) error {
	all, err := split(rendered)
	if err != nil {
		return err
	}
	sort.SliceStable(all, func(i, j int) bool {
		a, b := all[i], all[j]
		if a.isHook != b.isHook {
			return b.isHook
		}
		if rank(a.kind) != rank(b.kind) {
			return rank(a.kind) < rank(b.kind)
		}
		return a.kind < b.kind
	})
	for _, one := range all {
		if !one.isHook || hooks {
			fmt.Fprintf(out, "---\n# Source: %s\n%s\n", one.source, one.text)
		}
	}
	return nil
}
