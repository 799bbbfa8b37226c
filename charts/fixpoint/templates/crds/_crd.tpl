{{/*
One CustomResourceDefinition. Everything that several kinds share is written once, in
_schema.tpl; a file of this folder names what is special about its kind. All versions of a
kind have one schema: there is no conversion.

  root      the chart's top
  group, kind, plural
  singular  that of Gatekeeper where it is another word than the plural
  scope     Cluster, or Namespaced
  versions  names, the stored one first
  old       names of those that warn their users
  schema    the template of `spec` and `status`; it gets `own`: of our own group
  columns   the template of the columns that `kubectl get` prints
  mutator   it is one
  named     bounds the name as Gatekeeper does
*/}}
{{- define "fixpoint.crd" -}}
{{- $name := printf "%s.%s" .plural .group }}
{{- if and (include "fixpoint.crd.asked" (dict "root" .root "name" $name)) (not (include "fixpoint.crd.foreign" (dict "root" .root "name" $name))) }}
{{- $crd := . }}
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: {{ $name }}
  {{- $annotations := dict }}
  {{- if .root.Values.crds.keep }}
  {{- $_ := set $annotations "helm.sh/resource-policy" "keep" }}
  {{- end }}
  {{- include "fixpoint.meta" (dict "root" .root "component" "crds" "annotations" (merge $annotations (.root.Values.crds.annotations | default dict))) | nindent 2 }}
spec:
  group: {{ .group }}
  scope: {{ get . "scope" | default "Cluster" }}
  names:
    kind: {{ .kind }}
    listKind: {{ .kind }}List
    plural: {{ .plural }}
    singular: {{ get . "singular" | default .plural }}
    categories:
      - fixpoint
      {{- if get . "mutator" }}
      - mutators
      {{- end }}
  versions:
    {{- range $i, $version := .versions }}
    - name: {{ $version }}
      served: true
      storage: {{ eq $i 0 }}
      {{- if has $version (get $crd "old" | default list) }}
      deprecated: true
      deprecationWarning: "{{ $crd.group }}/{{ $version }} is deprecated. Use {{ $crd.group }}/{{ first $crd.versions }} instead."
      {{- end }}
      subresources:
        status: {}
      additionalPrinterColumns:
        {{- include $crd.columns $crd | nindent 8 }}
        - name: Age
          type: date
          jsonPath: .metadata.creationTimestamp
      schema:
        openAPIV3Schema:
          type: object
          {{- include $crd.schema (dict "own" (eq $crd.group "mutations.fixpoint.dev") "kind" $crd.kind) | nindent 10 }}
          {{- if get $crd "named" }}
            metadata:
              type: object
              properties:
                name:
                  type: string
                  maxLength: 63
          {{- else }}
            metadata:
              type: object
          {{- end }}
            apiVersion:
              description: The group and version in which this object is written.
              type: string
            kind:
              description: What kind of object this is.
              type: string
    {{- end }}
{{- end }}
{{- end }}

{{/* Do the values want a definition installed? Those of an API that is not read are not. */}}
{{- define "fixpoint.crd.asked" -}}
{{- $crds := .root.Values.crds }}
{{- $apis := .root.Values.apis }}
{{- if not $crds.install }}
{{- else if hasSuffix ".kubemod.io" .name }}
{{- if and $apis.kubemod.enabled $crds.kubemod }}yes{{ end }}
{{- else if hasSuffix ".policies.fixpoint.dev" .name }}
{{- if and $apis.admissionPolicy.enabled $crds.admissionPolicy }}yes{{ end }}
{{- else if hasSuffix ".kyverno.io" .name }}
{{- if and $apis.kyverno.enabled $crds.kyverno }}yes{{ end }}
{{- else if hasSuffix ".gatekeeper.sh" .name }}
{{- if and $apis.gatekeeper.enabled $crds.gatekeeper }}yes{{ end }}
{{- else if $apis.gatekeeper.enabled }}yes
{{- end }}
{{- end }}

{{/*
Is a definition somebody else's: Gatekeeper's, KubeMod's, Kyverno's, another release's, kubectl's? It is
left alone, then. Without a cluster, as in `helm template`, there is nothing to look at, and
all are ours.
*/}}
{{- define "fixpoint.crd.foreign" -}}
{{- $found := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" .name }}
{{- if $found }}
{{- $annotations := get $found.metadata "annotations" | default dict }}
{{- if not (and (eq (get $annotations "meta.helm.sh/release-name") .root.Release.Name)
                (eq (get $annotations "meta.helm.sh/release-namespace") .root.Release.Namespace)) }}yes
{{- end }}
{{- end }}
{{- end }}
