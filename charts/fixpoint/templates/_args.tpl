{{/* The flags of `fixpoint serve`. Those whose value is the program's own default are
written all the same where the chart's other objects depend on them. */}}
{{- define "fixpoint.args" -}}
{{- $manager := .Values.controllerManager -}}
- serve
- --listen=:{{ $manager.port }}
- --health-listen=:{{ $manager.healthPort }}
- --drain={{ $manager.drain }}
- --grace={{ $manager.grace }}
{{- if ne $manager.stallAfter "10s" }}
- --stall-after={{ $manager.stallAfter }}
{{- end }}
- --apis={{ include "fixpoint.apis" . }}
{{- if and .Values.apis.admissionPolicy.native (ne .Values.apis.admissionPolicy.nativePolicies "auto") }}
- --native-policies={{ .Values.apis.admissionPolicy.nativePolicies }}
{{- end }}
{{- if ne .Values.existing.mode "off" }}
- --existing={{ .Values.existing.mode }}
- --existing-qps={{ .Values.existing.qps }}
{{- end }}
{{- if .Values.apis.kubemod.enabled }}
- --cluster-modrules-namespace={{ .Values.apis.kubemod.clusterNamespace }}
- --namespace-share={{ .Values.apis.kubemod.namespaceShare }}
{{- end }}
{{- if and .Values.apis.kyverno.enabled .Values.apis.kyverno.exceptionsNamespace }}
- {{ printf "--policy-exceptions=%s" .Values.apis.kyverno.exceptionsNamespace | quote }}
{{- end }}
{{- if .Values.web.enabled }}
- --web-listen=:{{ .Values.web.port }}
{{- end }}
- --lease-name={{ include "fixpoint.fullname" . }}
{{- /* Where we have none, the name may be that of somebody else's: there is no name, then. */}}
- --mutating-webhook-configuration-name={{ .Values.disableMutation | ternary "" .Values.mutatingWebhookName }}
- --validating-webhook-configuration-name={{ .Values.disableValidatingWebhook | ternary "" .Values.validatingWebhookName }}
{{- range .Values.additionalMutatingWebhookConfigsToRotateCerts }}
- --additional-mutating-webhook-configs-to-rotate-certs={{ . }}
{{- end }}
{{- include "fixpoint.args.certs" . }}
{{- if ne (toString $manager.tlsMinVersion) "1.2" }}
- --tls-min-version={{ $manager.tlsMinVersion }}
{{- end }}
{{- if include "fixpoint.asksClients" . }}
- --client-ca=/client-ca/ca.crt
{{- range .Values.clientCNs }}
- --client-cn={{ . }}
{{- end }}
{{- end }}
{{- if or .Values.disableMutation .Values.disableValidatingWebhook (not .Values.status.enabled) }}
{{- if not .Values.disableMutation }}
- --operation=mutation-webhook
{{- end }}
{{- if not .Values.disableValidatingWebhook }}
- --operation=webhook
{{- end }}
{{- if .Values.status.enabled }}
- --operation=mutation-status
{{- end }}
{{- end }}
- --exempt-namespace={{ .Release.Namespace }}
{{- range $manager.exemptNamespaces }}
- --exempt-namespace={{ . }}
{{- end }}
{{- range $manager.exemptNamespacePrefixes }}
- --exempt-namespace-prefix={{ . }}
{{- end }}
{{- range $manager.exemptNamespaceSuffixes }}
- --exempt-namespace-suffix={{ . }}
{{- end }}
- --on-error={{ .Values.onError }}
- --log-level={{ .Values.logLevel | lower | replace "warning" "warn" }}
- --metrics-max-mutators={{ .Values.metrics.maxMutators }}
{{- if .Values.threads }}
- --threads={{ .Values.threads }}
{{- end }}
{{- if ne .Values.sandbox "auto" }}
- --sandbox={{ .Values.sandbox }}
{{- end }}
{{- if .Values.logMutations }}
- --log-mutations
{{- end }}
{{- if .Values.mutationAnnotations }}
- --mutation-annotations
{{- end }}
{{- if not .Values.events.enabled }}
- --no-events
{{- end }}
{{- if .Values.quarantine.after }}
- --quarantine-after={{ .Values.quarantine.after }}
- --quarantine-budget={{ .Values.quarantine.budget }}
{{- end }}
{{- range .Values.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end }}

{{- define "fixpoint.args.certs" -}}
{{- if eq .Values.certs.mode "self" }}
- --tls-secret={{ include "fixpoint.secretName" . }}
- --cert-service-name={{ include "fixpoint.serviceName" . }}
- --ca-validity={{ .Values.certs.caValidity }}
- --cert-validity={{ .Values.certs.validity }}
- --rotation-wait={{ .Values.certs.rotationWait }}
{{- range include "fixpoint.urlHosts" . | fromYamlArray }}
- --tls-name={{ . }}
{{- end }}
{{- else }}
- --tls-cert=/certs/tls.crt
- --tls-key=/certs/tls.key
{{- if eq .Values.certs.mode "files" }}
- --tls-ca=/certs/ca.crt
{{- else }}
- --disable-cert-rotation
{{- end }}
{{- end }}
{{- end }}
