{{/* SPDX-License-Identifier: Apache-2.0 */}}

{{- define "fixpoint.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* Short enough for what is appended: 63 less `-webhook-server-cert`. */}}
{{- define "fixpoint.fullname" -}}
{{- $name := include "fixpoint.name" . }}
{{- $full := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) }}
{{- .Values.fullnameOverride | default $full | trunc 43 | trimSuffix "-" }}
{{- end }}

{{/* What selectors use: it never changes. Takes root and component. */}}
{{- define "fixpoint.selectorLabels" -}}
app.kubernetes.io/name: {{ include "fixpoint.name" .root | quote }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{/* `labels:` and `annotations:` of an object. Takes root and component, and further
`labels` and `annotations`. */}}
{{- define "fixpoint.meta" -}}
{{- $fixed := include "fixpoint.selectorLabels" . | fromYaml }}
{{- $usual := dict
  "helm.sh/chart" (printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-")
  "app.kubernetes.io/version" (.root.Chart.AppVersion | toString)
  "app.kubernetes.io/part-of" "fixpoint"
  "app.kubernetes.io/managed-by" .root.Release.Service -}}
labels:
  {{- merge (dict) $fixed (get . "labels" | default dict) (.root.Values.commonLabels | default dict) $usual | toYaml | nindent 2 }}
{{- with merge (dict) (get . "annotations" | default dict) (.root.Values.commonAnnotations | default dict) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "fixpoint.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (.Values.serviceAccount.create | ternary (include "fixpoint.fullname" .) "default") }}
{{- end }}

{{- define "fixpoint.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.release | default .Chart.AppVersion }}
{{- end }}
{{- end }}

{{- define "fixpoint.serviceName" -}}
{{- .Values.service.name | default (printf "%s-webhook-service" (include "fixpoint.fullname" .)) }}
{{- end }}

{{/* Whose policies are read, as `--apis` has it. */}}
{{- define "fixpoint.apis" -}}
{{- $apis := list }}
{{- if .Values.apis.gatekeeper.enabled }}{{ $apis = append $apis "gatekeeper" }}{{ end }}
{{- if .Values.apis.kubemod.enabled }}{{ $apis = append $apis "kubemod" }}{{ end }}
{{- if .Values.apis.admissionPolicy.enabled }}{{ $apis = append $apis "admission_policy" }}{{ end }}
{{- if and .Values.apis.admissionPolicy.enabled .Values.apis.admissionPolicy.native }}{{ $apis = append $apis "admissionregistration.k8s.io" }}{{ end }}
{{- if .Values.apis.kyverno.enabled }}{{ $apis = append $apis "kyverno" }}{{ end }}
{{- join "," $apis }}
{{- end }}

{{/* Do policies see CONNECT? Empty: no. */}}
{{- define "fixpoint.connects" -}}
{{- with .Values.apis.admissionPolicy }}{{ if and .enabled .connects }}yes{{ end }}{{ end }}
{{- end }}

{{/* Is the node noted in Pods that ask for it? Empty: no. */}}
{{- define "fixpoint.bindsNodes" -}}
{{- if and .Values.apis.kubemod.enabled .Values.apis.kubemod.nodeRefs.enabled }}yes{{ end }}
{{- end }}

{{/* The Secret that holds tls.crt, tls.key and ca.crt. */}}
{{- define "fixpoint.secretName" -}}
{{- .Values.certs.secretName | default (printf "%s-webhook-server-cert" (include "fixpoint.fullname" .)) }}
{{- end }}

{{/* A webhook's clientConfig. It has no caBundle: Fixpoint or cert-manager
writes that in the cluster, and an upgrade does not remove a field that no manifest ever
had (README.md). Takes root, url and path. */}}
{{- define "fixpoint.clientConfig" -}}
{{- if .url -}}
url: https://{{ .url }}{{ .path }}
{{- else -}}
service:
  name: {{ include "fixpoint.serviceName" .root }}
  namespace: {{ .root.Release.Namespace | quote }}
  path: {{ .path }}
  port: {{ .root.Values.service.port }}
{{- end }}
{{- end }}

{{/* The hosts by which the webhooks are reached, where that is not the Service; as YAML. */}}
{{- define "fixpoint.urlHosts" -}}
{{- $hosts := list }}
{{- range list .Values.mutatingWebhookURL .Values.validatingWebhookURL }}
{{- if . }}
{{- $hosts = append $hosts (regexReplaceAll ":.*$" . "") }}
{{- end }}
{{- end }}
{{- uniq $hosts | toYaml }}
{{- end }}

{{/* Annotations of a webhook configuration, as YAML. Takes root and `more`. */}}
{{- define "fixpoint.webhookAnnotations" -}}
{{- $inject := dict }}
{{- if eq .root.Values.certs.mode "cert-manager" }}
{{- $_ := set $inject "cert-manager.io/inject-ca-from" (printf "%s/%s" .root.Release.Namespace (include "fixpoint.fullname" .root)) }}
{{- end }}
{{- merge $inject (.more | default dict) | toYaml }}
{{- end }}

{{/* Are the conditions of webhooks (CEL) there? */}}
{{- define "fixpoint.hasMatchConditions" -}}
{{- if semverCompare ">=1.28.0-0" .Capabilities.KubeVersion.Version }}yes{{ end }}
{{- end }}

{{/* Have clients to show a certificate? Empty: no. */}}
{{- define "fixpoint.asksClients" -}}
{{- or .Values.clientCA.configMapName .Values.clientCA.secretName }}
{{- end }}

{{/* Values that make no sense together, in words. values.schema.json refuses them as well,
which `helm lint` looks at, but for those that no schema can tell: equal ports, and what the
version of Kubernetes decides. */}}
{{- define "fixpoint.check" -}}
{{- if and .Values.disableMutation .Values.disableValidatingWebhook }}
{{- fail "disableMutation and disableValidatingWebhook: nothing is left to do" }}
{{- end }}
{{- if eq .Values.mutatingWebhookFailurePolicy "Fail" }}
{{- if or (lt (int .Values.replicas) 2) (not .Values.pdb.controllerManager.enabled) }}
{{- fail "mutatingWebhookFailurePolicy Fail: whatever is down stops the whole cluster; it wants replicas of at least 2 and pdb.controllerManager.enabled" }}
{{- end }}
{{- end }}
{{- if eq (int .Values.controllerManager.port) (int .Values.controllerManager.healthPort) }}
{{- fail "controllerManager.port and controllerManager.healthPort: one port cannot be both" }}
{{- end }}
{{- include "fixpoint.check.apis" . }}
{{- include "fixpoint.check.web" . }}
{{- with .Values.controllerManager }}
{{- if and (eq (.dnsPolicy | default "") "None") (not (dig "nameservers" list (.dnsConfig | default dict))) }}
{{- fail "controllerManager.dnsPolicy None: controllerManager.dnsConfig.nameservers is missing: whom is it to ask?" }}
{{- end }}
{{- end }}
{{- if and (eq .Values.certs.mode "files") (not .Values.certs.secretName) }}
{{- fail "certs.mode files: certs.secretName is missing: which Secret holds tls.crt, tls.key and ca.crt?" }}
{{- end }}
{{- if and .Values.clientCA.configMapName .Values.clientCA.secretName }}
{{- fail "clientCA.configMapName and clientCA.secretName: one of them holds the authorities" }}
{{- end }}
{{- if and .Values.clientCNs (not (include "fixpoint.asksClients" .)) }}
{{- fail "clientCNs: clientCA is missing: who vouches for clients of these names?" }}
{{- end }}
{{- if and .Values.mutatingWebhookMatchConditions (not (include "fixpoint.hasMatchConditions" .)) }}
{{- fail (printf "mutatingWebhookMatchConditions: Kubernetes %s has none, 1.28 does" .Capabilities.KubeVersion.Version) }}
{{- end }}
{{- end }}

{{- define "fixpoint.check.apis" -}}
{{- if not (include "fixpoint.apis" .) }}
{{- fail "apis.gatekeeper.enabled, apis.kubemod.enabled, apis.admissionPolicy.enabled and apis.kyverno.enabled: nobody's policies are left to read" }}
{{- end }}
{{- if and .Values.apis.admissionPolicy.native (not .Values.apis.admissionPolicy.enabled) }}
{{- fail "apis.admissionPolicy.native: apis.admissionPolicy.enabled is missing: nothing would be watched" }}
{{- end }}
{{- if not .Values.apis.admissionPolicy.enabled }}
{{- range .Values.mutatingWebhookCustomRules }}
{{- if has "CONNECT" .operations }}
{{- fail "mutatingWebhookCustomRules: CONNECT: only MutatingAdmissionPolicies change it: set apis.admissionPolicy.enabled" }}
{{- end }}
{{- end }}
{{- end }}
{{- if .Values.apis.kubemod.enabled }}
{{- $theirs := "kubemod-mutating-webhook-configuration" }}
{{- if and (ne .Values.mutatingWebhookName $theirs) (lookup "admissionregistration.k8s.io/v1" "MutatingWebhookConfiguration" "" $theirs) }}
{{- fail (printf "apis.kubemod.enabled: KubeMod's own webhooks are there, and each ModRule would act twice: delete the MutatingWebhookConfiguration %s first (docs/kubernetes.md, ModRules)" $theirs) }}
{{- end }}
{{- else }}
{{- range .Values.mutatingWebhookCustomRules }}
{{- if has "DELETE" .operations }}
{{- fail "mutatingWebhookCustomRules: DELETE: only ModRules validate deletions: set apis.kubemod.enabled" }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "fixpoint.check.web" -}}
{{- if .Values.web.enabled }}
{{- if has (int .Values.web.port) (list (int .Values.controllerManager.port) (int .Values.controllerManager.healthPort)) }}
{{- fail "web.port is controllerManager.port or controllerManager.healthPort: one port cannot be both" }}
{{- end }}
{{- if .Values.controllerManager.hostNetwork }}
{{- fail "web.enabled and controllerManager.hostNetwork: the dry run has no authentication, and would be open to everything that can reach a node" }}
{{- end }}
{{- end }}
{{- end }}
